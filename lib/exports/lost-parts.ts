import type { ExportReason, PartRecord } from './export-state.ts';
import type { StoredObject } from './ports.ts';

/** Enough for a person to see who deletes or writes them. */
const MAX_NAMED = 3;

/**
 * Why the parts are not all stored as their records say; `undefined` when they are. The store checked each part's
 * SHA-256 when it was stored, and its version names that content, so that no part is read again here.
 */
export function lostParts(
  parts: readonly PartRecord[],
  stored: readonly StoredObject[],
): ExportReason | undefined {
  const byKey = new Map(stored.map((each) => [each.key, each]));
  const lost = parts.flatMap((part) => {
    const problem = problemOf(part, byKey.get(part.key));
    return problem === undefined ? [] : [`${part.key} ${problem}`];
  });
  if (lost.length === 0) return undefined;
  const more = lost.length > MAX_NAMED ? `; and ${lost.length - MAX_NAMED} more` : '';
  return {
    code: 'part-lost',
    message: `${lost.length} of ${parts.length} parts are not in the bucket as they were stored: ${lost.slice(0, MAX_NAMED).join('; ')}${more}. So there is no manifest. Find out who deletes or writes objects below exports/, such as a lifecycle rule; then start again.`,
  };
}

function problemOf(part: PartRecord, stored: StoredObject | undefined): string | undefined {
  if (stored === undefined) return 'is missing';
  if (stored.bytes !== part.storedBytes) {
    return `has ${stored.bytes} bytes, expected ${part.storedBytes}`;
  }
  return stored.version === part.version ? undefined : 'was written again by somebody else';
}
