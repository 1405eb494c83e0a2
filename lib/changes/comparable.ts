import type { StoredManifest } from '../exports/stored-manifest.ts';

/** Why an export cannot be compared with any other; `undefined` when it can. */
export function whyNotComparable(manifest: StoredManifest): string | undefined {
  const { completeness, ids } = manifest;
  if (completeness.verdict !== 'complete') return 'It is not proven complete.';
  if (isEmpty(manifest)) return undefined;
  const [idKey] = ids.keys;
  if (idKey === undefined)
    return 'Its records have no ids: set idKey to the member that holds them.';
  return ids.missing === 0 ? undefined : `${ids.missing} of its records have no id (${idKey}).`;
}

/** The member by which the records of an export are compared; `undefined` when there are none, or none are compared. */
export function comparedBy(manifest: StoredManifest): string | undefined {
  if (isEmpty(manifest) || whyNotComparable(manifest) !== undefined) return undefined;
  return manifest.ids.keys[0];
}

/** Why a comparable export is not compared with an earlier one; `undefined` when it can be. */
export function whyNotSince(now: StoredManifest, before: StoredManifest): string | undefined {
  const why = whyNotComparable(before);
  if (why !== undefined) return why;
  const differing =
    DIFFERENCES.find(({ of }) => of(before) !== of(now))?.name ??
    anotherPlace(now, before) ??
    (hasAnotherIdKey(now, before) ? 'another idKey' : undefined);
  return differing && `It has ${differing}.`;
}

const DIFFERENCES: readonly {
  readonly name: string;
  readonly of: (manifest: StoredManifest) => string | undefined;
}[] = [
  { name: 'the records of another organization', of: ({ organizationId }) => organizationId },
  { name: 'another resource', of: ({ resource }) => resource },
  { name: 'another query', of: ({ query }) => JSON.stringify(Object.entries(query).sort()) },
];

/** Which setting of the place of the records is another one. Manifests of older versions do not tell all of them. */
function anotherPlace(now: StoredManifest, before: StoredManifest): string | undefined {
  const name = (['firstPage', 'itemsKey'] as const).find((place) => {
    const places = new Set([before[place], now[place]]);
    return places.size > 1 && !places.has(undefined);
  });
  return name && `another ${name}`;
}

/** An empty list shows no ids, and fits those of any other. */
function hasAnotherIdKey(now: StoredManifest, before: StoredManifest): boolean {
  const keys = [now, before].filter((each) => !isEmpty(each)).map(comparedBy);
  return new Set(keys).size > 1;
}

function isEmpty({ parts }: StoredManifest): boolean {
  return parts.every(({ customers }) => customers === 0);
}
