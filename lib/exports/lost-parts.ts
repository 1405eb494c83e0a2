import type { ExportReason } from './export-state.ts';
import type { PartRecord } from './part-record.ts';
import type { StoredObject } from './ports.ts';
import { indexKey } from './store-objects.ts';

/** Enough for a person to see who deletes or writes them. */
const MAX_NAMED = 3;

/**
 * Why the parts are not all stored as their records say; `undefined` when they are. The store checked the SHA-256 of
 * each object when it was stored, and its version names that content, so that no part is read again here.
 */
export function lostParts(
  parts: readonly PartRecord[],
  stored: readonly StoredObject[],
  isIndexNeeded: boolean,
): ExportReason | undefined {
  const byKey = new Map(stored.map((each) => [each.key, each]));
  const lost = parts.flatMap((part) => {
    const objects = isIndexNeeded ? [objectOf(part), ...indexOf(part)] : [objectOf(part)];
    const problems = objects.flatMap((each) => problemOf(each, byKey.get(each.key)));
    return problems.slice(0, 1);
  });
  if (lost.length === 0) return undefined;
  const more = lost.length > MAX_NAMED ? `; and ${lost.length - MAX_NAMED} more` : '';
  return {
    code: 'part-lost',
    message: `${lost.length} of ${parts.length} parts are not in the bucket as they were stored: ${lost.slice(0, MAX_NAMED).join('; ')}${more}. So there is no manifest. Find out who deletes or writes objects below exports/, such as a lifecycle rule; then start again.`,
  };
}

/** @param problem Which record of a part cannot be had. */
export function lostRecord(problem: string): ExportReason {
  return {
    code: 'part-lost',
    message: `${problem} So there is no manifest. Find out who deletes or writes items of the table; then start again.`,
  };
}

function objectOf({ key, storedBytes: bytes, version }: PartRecord): StoredObject {
  return { key, bytes, version };
}

function indexOf({ key, index }: PartRecord): readonly StoredObject[] {
  return index === undefined ? [] : [{ key: indexKey(key), ...index }];
}

function problemOf(expected: StoredObject, stored: StoredObject | undefined): readonly string[] {
  const { key, bytes, version } = expected;
  if (stored === undefined) return [`${key} is missing`];
  if (stored.bytes !== bytes) return [`${key} has ${stored.bytes} bytes, expected ${bytes}`];
  return stored.version === version ? [] : [`${key} was written again by somebody else`];
}
