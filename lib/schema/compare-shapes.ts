import * as v from 'valibot';
import { defined } from '../defined.ts';
import { ELEMENTS, jsonPathOf, type PathStep } from './json-path.ts';
import { VALUE_TYPES, type ValueType } from './shape.ts';
import type { MemberReport, ShapeReport } from './shape-report.ts';

/** What a place was like; where it became something else, a consumer may have to change. */
interface SeenShape {
  readonly types: readonly ValueType[];
  /** Of a member: whether every object there had it. */
  readonly always?: boolean;
}

export interface ShapeChange {
  /** A JSONPath (RFC 9535) from the record on. */
  readonly path: string;
  readonly change: 'new' | 'gone' | 'changed';
  /** Not of what is new. */
  readonly before?: SeenShape;
  /** Not of what is gone. */
  readonly after?: SeenShape;
}

const SeenShapeSchema = v.looseObject({
  types: v.array(v.picklist(VALUE_TYPES)),
  always: v.exactOptional(v.boolean()),
});

export const ShapeChangeSchema: v.GenericSchema<unknown, ShapeChange> = v.looseObject({
  path: v.string(),
  change: v.picklist(['new', 'gone', 'changed']),
  before: v.exactOptional(SeenShapeSchema),
  after: v.exactOptional(SeenShapeSchema),
});

/**
 * What differs between two reports: members that are new or gone, types that were not there before or are not there
 * any more, and whether a member is always there. Lengths and counts differ from day to day and are no change. Of a
 * new or gone object it names the object alone. Nothing is said of a place where one of the two saw no value, nor of
 * names where one of the two had too many of them to name.
 */
export function compareShapes(before: ShapeReport, after: ShapeReport): readonly ShapeChange[] {
  const changes: ShapeChange[] = [];
  compare({ before, after }, [], changes);
  return changes;
}

interface Pair<Report extends ShapeReport = ShapeReport> {
  readonly before: Report;
  readonly after: Report;
}

function compare(pair: Pair, path: readonly PathStep[], changes: ShapeChange[]): void {
  const [before, after] = [seen(pair.before), seen(pair.after)];
  if (before.types.length === 0 || after.types.length === 0) return;
  const isSame = before.always === after.always && before.types.join() === after.types.join();
  if (!isSame) changes.push({ path: jsonPathOf(path), change: 'changed', before, after });
  if (hasObjects(pair.before) && hasObjects(pair.after)) compareMembers(pair, path, changes);
  const [elementsBefore, elementsAfter] = [pair.before.elements, pair.after.elements];
  if (elementsBefore === undefined || elementsAfter === undefined) return;
  compare({ before: elementsBefore, after: elementsAfter }, [...path, ELEMENTS], changes);
}

function compareMembers(pair: Pair, path: readonly PathStep[], changes: ShapeChange[]): void {
  const before = byName(pair.before);
  const after = byName(pair.after);
  for (const [name, member] of after) {
    const place = [...path, name];
    const earlier = before.get(name);
    if (earlier !== undefined) compare({ before: earlier, after: member }, place, changes);
    else if (pair.before.unnamed === undefined) {
      changes.push({ path: jsonPathOf(place), change: 'new', after: seen(member) });
    }
  }
  if (pair.after.unnamed !== undefined) return;
  for (const [name, member] of before) {
    if (after.has(name)) continue;
    changes.push({ path: jsonPathOf([...path, name]), change: 'gone', before: seen(member) });
  }
}

function byName({ members = [] }: ShapeReport): ReadonlyMap<string, MemberReport> {
  return new Map(members.map((member) => [member.name, member]));
}

function seen(report: ShapeReport | MemberReport): SeenShape {
  const types = VALUE_TYPES.filter((type) => report.types[type] !== undefined);
  return { types, ...defined({ always: 'always' in report ? report.always : undefined }) };
}

function hasObjects({ types }: ShapeReport): boolean {
  return types.object !== undefined;
}
