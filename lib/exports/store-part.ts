import { defined } from '../defined.ts';
import type { Lease } from '../steps/step-item.ts';
import type { ExportState } from './export-state.ts';
import type { PartBody, PartWriter } from './part.ts';
import type { PartIndexBody } from './part-index.ts';
import type { PartRecord } from './part-record.ts';
import type { ExportPorts, Store } from './ports.ts';
import { aboutPart, COMPACT_TOKEN, indexKey, partKey } from './store-objects.ts';

/**
 * Stores a part if it has records. Without a lease nothing is stored: a part that is stored after the manifest
 * would never be deleted.
 *
 * @returns `undefined` when the lease is over.
 */
export async function storeRecords(
  ports: Pick<ExportPorts, 'clock' | 'store' | 'ledger'>,
  state: ExportState,
  lease: Lease,
  part: PartWriter,
): Promise<ExportState | undefined> {
  const body = part.records === 0 ? undefined : await part.finish();
  if (ports.clock.now() >= lease.untilMs) return undefined;
  return body === undefined ? state : storePart(ports, state, lease.owner, body);
}

/**
 * Stores a part and its record. The part counts once the returned state is committed. After a crash before
 * that, the object and the record are in no chain.
 */
export async function storePart(
  ports: Pick<ExportPorts, 'store' | 'ledger'>,
  state: ExportState,
  owner: string,
  body: PartBody,
): Promise<ExportState> {
  const { connection, exportId, parts } = state;
  const token = owner.slice(0, 8);
  const number = parts.count + 1;
  const { compression, stored, sha256, index: ofRecords, ...counted } = body;
  const key = partKey(state, number, token, compression);
  const index = await storeIndex(ports.store, state, indexKey(key), ofRecords);
  const version = await ports.store.put(key, stored, aboutPart(body));
  const record: PartRecord = {
    connection,
    exportId,
    number,
    token,
    ...defined({ previousToken: parts.lastToken }),
    key,
    ...counted,
    storedBytes: stored.length,
    sha256,
    version,
    withoutId: ofRecords.withoutId,
    repeats: ofRecords.repeats,
    ...defined({ index }),
    deleteAfterMs: state.deleteAfterMs,
  };
  await ports.ledger.putPart(record);
  return {
    ...state,
    parts: { count: number, lastToken: token, storedBytes: parts.storedBytes + stored.length },
  };
}

/** The only part of a list is compared with no other one. */
async function storeIndex(
  store: Pick<Store, 'put'>,
  { end, parts }: ExportState,
  key: string,
  { stored, sha256 }: PartIndexBody,
): Promise<PartRecord['index']> {
  if (end !== undefined && parts.count === 0) return undefined;
  const version = await store.put(key, stored, { contentType: 'application/octet-stream', sha256 });
  return { bytes: stored.length, version };
}

/**
 * The records that count, first part first: the chain that `ExportState.parts` leads to.
 *
 * @returns The number of a part whose record is missing: the ledger lost data, and no manifest may be written.
 */
export function partChain(
  state: ExportState,
  records: readonly PartRecord[],
): readonly PartRecord[] | number {
  const byName = new Map(records.map((each) => [`${each.number} ${each.token}`, each]));
  const chain: PartRecord[] = [];
  let token = state.parts.lastToken;
  for (let number = state.parts.count; number > 0; number--) {
    const record = byName.get(`${number} ${token}`);
    if (record === undefined) return number;
    chain.push(record);
    token = record.previousToken;
  }
  return chain.reverse();
}

/** The same, once all older rows are left out: with the parts that were stored again for that, and without empty ones. */
export function settledParts(
  state: Pick<ExportState, 'repeats'>,
  chain: readonly PartRecord[],
  records: readonly PartRecord[],
): readonly PartRecord[] {
  const { isSettled, removed = 0 } = state.repeats ?? {};
  if (isSettled !== true || removed === 0) return chain;
  const compact = new Map(
    records.filter(({ token }) => token === COMPACT_TOKEN).map((each) => [each.number, each]),
  );
  return chain.map((part) => compact.get(part.number) ?? part).filter((part) => part.records > 0);
}
