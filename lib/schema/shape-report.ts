import * as v from 'valibot';
import { defined } from '../defined.ts';
import { MemberShape, NUMBER_OF, Shape, VALUE_TYPES, type ValueType } from './shape.ts';

/** What was seen at one place, as it stands in a report; a number that would be zero is left out. */
export interface ShapeReport {
  /** How many values of each type. */
  readonly types: Readonly<Partial<Record<ValueType, number>>>;
  /** In Unicode characters. */
  readonly longestText?: number;
  /** Of a number, without sign and exponent. */
  readonly mostDigits?: number;
  /** Texts that look like a date, such as `2026-11-22`. */
  readonly dates?: number;
  /** Texts that look like a date with a time, such as `2026-11-22T10:00:00Z`. */
  readonly dateTimes?: number;
  /** Of an array. */
  readonly mostElements?: number;
  /** Of the objects here, in the order in which they came first. */
  readonly members?: readonly MemberReport[];
  /** Members that the report does not name: there are too many names, or theirs is too long. */
  readonly unnamed?: number;
  /** Of the arrays here. */
  readonly elements?: ShapeReport;
  /** Objects and arrays that the report does not look into: they are too deep. */
  readonly unopened?: number;
}

export interface MemberReport extends ShapeReport {
  readonly name: string;
  /** Objects that have it. */
  readonly present: number;
  /** Whether every object here has it. */
  readonly always: boolean;
  /** Objects that have it more than once. */
  readonly repeated?: number;
}

const count = v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1)));

const TypesSchema = v.strictObject({
  null: count,
  boolean: count,
  integer: count,
  longInteger: count,
  decimal: count,
  longDecimal: count,
  text: count,
  object: count,
  array: count,
} satisfies Readonly<Record<ValueType, typeof count>>);

const shapeEntries = {
  types: TypesSchema,
  longestText: count,
  mostDigits: count,
  dates: count,
  dateTimes: count,
  mostElements: count,
  members: v.exactOptional(v.array(v.lazy(() => MemberReportSchema))),
  unnamed: count,
  elements: v.exactOptional(v.lazy(() => ShapeReportSchema)),
  unopened: count,
};

export const ShapeReportSchema: v.GenericSchema<unknown, ShapeReport> = v.looseObject(shapeEntries);

const MemberReportSchema: v.GenericSchema<unknown, MemberReport> = v.looseObject({
  name: v.string(),
  present: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  always: v.boolean(),
  repeated: count,
  ...shapeEntries,
});

export function reportOf(shape: Shape): ShapeReport {
  const objects = shape.counts[NUMBER_OF.object] ?? 0;
  const types = VALUE_TYPES.map((type, index) => [type, shape.counts[index] ?? 0] as const);
  const { members, element } = shape;
  return {
    types: Object.fromEntries(types.filter(([, seen]) => seen > 0)),
    ...defined({
      longestText: shape.longestText || undefined,
      mostDigits: shape.mostDigits || undefined,
      dates: shape.dates || undefined,
      dateTimes: shape.dateTimes || undefined,
      mostElements: shape.mostElements || undefined,
      members: members.length === 0 ? undefined : members.map((each) => memberOf(each, objects)),
      unnamed: shape.unnamed || undefined,
      elements: element && reportOf(element),
      unopened: shape.unopened || undefined,
    }),
  };
}

function memberOf(member: MemberShape, objects: number): MemberReport {
  const { name, present, repeated } = member;
  const always = present === objects;
  const before = { name, present, always, ...defined({ repeated: repeated || undefined }) };
  return { ...before, ...reportOf(member) };
}

/** The shape of which a report was made, to go on with; and how many places it has. */
export function shapeOf(report: ShapeReport): { readonly shape: Shape; readonly shapes: number } {
  const shape = new Shape();
  return { shape, shapes: fill(shape, report) };
}

/** @returns How many places there are, this one included. */
function fill(shape: Shape, report: ShapeReport): number {
  for (const [index, type] of VALUE_TYPES.entries()) shape.counts[index] = report.types[type] ?? 0;
  shape.longestText = report.longestText ?? 0;
  shape.mostDigits = report.mostDigits ?? 0;
  shape.dates = report.dates ?? 0;
  shape.dateTimes = report.dateTimes ?? 0;
  shape.mostElements = report.mostElements ?? 0;
  shape.unnamed = report.unnamed ?? 0;
  shape.unopened = report.unopened ?? 0;
  let shapes = 1;
  for (const each of report.members ?? []) {
    // As it stands in most texts; in another one it is found by name.
    const nameBytes = Buffer.from(JSON.stringify(each.name).slice(1, -1));
    const member = new MemberShape(each.name, nameBytes);
    member.present = each.present;
    member.repeated = each.repeated ?? 0;
    shapes += fill(member, each);
    shape.members.push(member);
    shape.byName.set(each.name, member);
  }
  if (report.elements === undefined) return shapes;
  shape.element = new Shape();
  return shapes + fill(shape.element, report.elements);
}
