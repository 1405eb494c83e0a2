import { LINE_FEED } from '../json/json-tokens.ts';
import { hashRecords, isOfId, type RecordHashes } from './record-hashes.ts';

/** The member that holds an id if nothing else is known. */
export const DEFAULT_ID_KEY = 'id';

/** Names of members that hold an id, best first; `*` is the name of one record of the resource. */
const NAMES = [
  DEFAULT_ID_KEY,
  '_id',
  'uuid',
  'guid',
  'uid',
  '*_id',
  '*Id',
  '*ID',
  '*_uuid',
  '*Uuid',
  '*_number',
  '*Number',
  'number',
  'key',
  'code',
  'Id',
  'ID',
];

/**
 * Finds the member that tells the records of a page from one another: the first of the usual names that every record
 * has, as text or number, and no two alike.
 *
 * @param ndjson Records without white space, each followed by a line feed.
 * @param resource Such as `customers`, so that `customer_id` is one of the names.
 * @returns The hashes by it; by `id` if there is none, of the whole records then.
 */
export function learnIdKey(
  ndjson: Uint8Array,
  recordCount: number,
  resource: string,
): RecordHashes & { readonly idKey: string } {
  const first = { idKey: DEFAULT_ID_KEY, ...hashRecords(ndjson, recordCount, DEFAULT_ID_KEY) };
  if (recordCount === 0 || tellsApart(first.hashes)) return first;
  const start = Buffer.from(ndjson.buffer, ndjson.byteOffset, ndjson.indexOf(LINE_FEED) + 1);
  for (const idKey of namesFor(resource)) {
    // Most names are not there at all, and one record shows that; it may have megabytes, and there are many names.
    if (!start.includes(JSON.stringify(idKey))) continue;
    if (!tellsApart(hashRecords(start, 1, idKey).hashes)) continue;
    const found = hashRecords(ndjson, recordCount, idKey);
    if (tellsApart(found.hashes)) return { idKey, ...found };
  }
  return first;
}

function tellsApart(hashes: Uint32Array): boolean {
  const seen = new Set<string>();
  for (let at = 0; at < hashes.length; at += 2) {
    if (!isOfId(hashes[at] ?? 0)) return false;
    seen.add(`${hashes[at]} ${hashes[at + 1]}`);
  }
  return seen.size === hashes.length / 2;
}

function namesFor(resource: string): readonly string[] {
  const ones = singularsOf(resource.split('/').at(-1) ?? resource);
  return NAMES.slice(1).flatMap((name) =>
    name.includes('*') ? ones.map((one) => name.replace('*', one)) : [name],
  );
}

/** What one of them may be called: `addresses`, `expenses`, `companies`, `movies` and `news` differ in that. */
function singularsOf(plural: string): readonly string[] {
  const endings = ['es', 's', ''].filter((ending) => plural.endsWith(ending));
  const ones = endings.map((ending) => plural.slice(0, plural.length - ending.length));
  return plural.endsWith('ies') ? [`${plural.slice(0, -3)}y`, ...ones] : ones;
}
