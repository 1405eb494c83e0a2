import type { StoredManifest } from '../exports/stored-manifest.ts';

/** Why an export cannot be compared with any other; `undefined` when it can. */
export function whyNotComparable({ completeness, ids }: StoredManifest): string | undefined {
  if (completeness?.verdict !== 'complete') return 'It is not proven complete.';
  const [idKey, another] = ids?.keys ?? [];
  if (idKey === undefined)
    return 'Its records have no ids: set idKey to the member that holds them.';
  if (another !== undefined) return `idKey was changed while it ran (${ids?.keys.join(', ')}).`;
  if (ids?.missing === 0) return undefined;
  return `${ids?.missing} of its records have no id (${idKey}).`;
}

/** The member by which the records of an export are compared; `undefined` when it is compared with no other. */
export function comparedBy(manifest: StoredManifest): string | undefined {
  return whyNotComparable(manifest) === undefined ? manifest.ids?.keys[0] : undefined;
}

/** Why a comparable export is not compared with an earlier one; `undefined` when it can be. */
export function whyNotSince(now: StoredManifest, before: StoredManifest): string | undefined {
  const why = whyNotComparable(before);
  if (why !== undefined) return why;
  const differing = DIFFERENCES.find(({ of }) => of(before) !== of(now));
  return differing && `It has ${differing.name}.`;
}

const DIFFERENCES: readonly {
  readonly name: string;
  readonly of: (manifest: StoredManifest) => string | undefined;
}[] = [
  { name: 'the records of another organization', of: ({ organizationId }) => organizationId },
  { name: 'another resource', of: ({ resource }) => resource },
  { name: 'another query', of: ({ query }) => JSON.stringify(Object.entries(query ?? {}).sort()) },
  { name: 'another idKey', of: ({ ids }) => ids?.keys[0] },
];
