import * as v from 'valibot';
import { defined } from '../defined.ts';
import { type ExactJson, exactText, readExactJson, uniqueMembers } from '../json/exact-json.ts';
import { parseJson } from '../json/json-value.ts';
import { count, type Stored } from '../stored.ts';
import { recordHash } from '../stored-text.ts';

/** What became of one record between two exports: a line of `changes-NNNNN-<hash>.ndjson.gz`. */
export interface Change extends Stored<typeof ChangeSchema> {
  /** JSON text of the record's id, as it was received: `1`, `1.0` and `"1"` are three ids, `"a/b"` and `"a\/b"` one. */
  readonly id: string;
  /** JSON text of the record, as it was received: the new one; of a removed record the last one. */
  readonly record: string;
}

export const CHANGE_KINDS = ['added', 'changed', 'removed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** All but the two texts, which no JavaScript value holds exactly. */
const ChangeSchema = v.object({
  change: v.picklist(CHANGE_KINDS),
  /** Of a changed record: the names of top-level members that are other than before, new or gone; 100 at most. */
  members: v.exactOptional(v.array(v.string())),
  /** Of the record in the earlier export. */
  before: v.exactOptional(recordHash),
  /** The same of the later export. */
  after: v.exactOptional(recordHash),
  /** Where the record is stored: the part, and the line in it, from 1. */
  at: v.object({ key: v.string(), line: v.pipe(count, v.minValue(1)) }),
});

/** What a line has before the text of the record, which follows as it is, and then {@link LINE_END}. */
export function lineHead({
  change,
  id,
  members,
  before,
  after,
  at,
}: Omit<Change, 'record'>): string {
  const others = JSON.stringify(defined({ members, before, after, at }));
  return `{"change":"${change}","id":${id},${others.slice(1, -1)},"record":`;
}

export const LINE_END = '}\n';

/** @returns `undefined` for what {@link lineHead} and the rest of a line did not write. */
export function parseChangeLine(line: string): Change | undefined {
  const read = readExactJson(line);
  const root = read.kind === 'json' ? uniqueMembers(read.json) : read;
  if (root.kind !== 'members') return undefined;
  const { id, record, ...others } = Object.fromEntries(root.members);
  const parsed = v.safeParse(ChangeSchema, valuesOf(others));
  if (id === undefined || record === undefined || !parsed.success) return undefined;
  return { ...parsed.output, id: exactText(id), record: exactText(record) };
}

function valuesOf(members: Readonly<Record<string, ExactJson>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, json]) => [name, parseJson(exactText(json))]),
  );
}

/** An id as people write it: the digits of a number, the characters of a text. */
export function idAsText(id: string): string {
  return id.startsWith('"') ? String(parseJson(id)) : id;
}
