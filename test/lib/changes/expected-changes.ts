import type { Change } from '../../../lib/changes/change.ts';
import { readMembers } from '../../../lib/json/exact-json.ts';
import { canonicalJson } from '../../../lib/writes/canonical-json.ts';
import type { Parts } from './comparison-world.ts';

type Expected = Pick<Change, 'change' | 'id' | 'members' | 'record'>;

/** What changed, in the obvious way: both exports in memory, record by record; sorted by id. */
export function expectedChanges(before: Parts, now: Parts): readonly Expected[] {
  const old = recordsById(before);
  const later = recordsById(now);
  const changes: Expected[] = [];
  for (const [key, record] of later) {
    const id = idOf(record);
    const earlier = old.get(key);
    if (earlier === undefined) changes.push({ change: 'added', id, record });
    else if (canonicalJson(earlier) !== canonicalJson(record)) {
      changes.push({ change: 'changed', id, members: differing(earlier, record), record });
    }
  }
  for (const [key, record] of old) {
    if (!later.has(key)) changes.push({ change: 'removed', id: idOf(record), record });
  }
  return changes.sort(byId);
}

/** What was found, as {@link expectedChanges} gives it. */
export function foundChanges(changes: readonly Change[]): readonly Expected[] {
  return changes
    .map(({ change, id, members, record }) =>
      members === undefined ? { change, id, record } : { change, id, members, record },
    )
    .sort(byId);
}

function byId(one: Expected, other: Expected): number {
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

function recordsById(parts: Parts): ReadonlyMap<string, string> {
  return new Map(parts.flat().map((record) => [plainId(idOf(record)), record]));
}

/** Equal for all spellings of one id. */
export function plainId(id: string): string {
  return id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
}

function idOf(record: string): string {
  return memberTexts(record).get('id') ?? 'none';
}

function memberTexts(record: string): ReadonlyMap<string, string> {
  const read = readMembers(record);
  if (read.kind !== 'members') throw new Error(`no object: ${record}`);
  return new Map(
    [...read.members].map(([name, { bytes }]) => [name, Buffer.from(bytes).toString()]),
  );
}

function differing(before: string, now: string): readonly string[] {
  const old = memberTexts(before);
  const later = memberTexts(now);
  const isSame = (one = '', other = '') =>
    one === other || canonicalJson(one) === canonicalJson(other);
  const names = [...later.keys()].filter(
    (name) => !old.has(name) || !isSame(old.get(name), later.get(name)),
  );
  return [...names, ...[...old.keys()].filter((name) => !later.has(name))];
}
