import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { NO_COUNTS, type WalkProof } from '../../../../lib/customers-api/walks/taken.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { sweepAtMs } from '../../../../lib/exports/export-steps.ts';
import type { PartRecord } from '../../../../lib/exports/part-record.ts';
import { NOTHING_LEARNED } from '../../../../lib/pace/learned-pace.ts';
import { begun, walkWith } from '../../../lib/exports/state-of.ts';
import { startLedger } from '../dynalite-ledger.ts';

let service: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  service = await startLedger();
});
afterAll(() => service.close());

const FOREVER_MS = Number.MAX_SAFE_INTEGER;

let names = 0;
const newConnection = () => `connection-${++names}`;

function stateOf(connection: string, exportId: string, writeToken: string): ExportState {
  return begun({ connection, exportId, sinceMs: 1_700_000_000_123 }, writeToken);
}

const PROOF: WalkProof = {
  kind: 'verified',
  order: 'by-last-edit',
  by: 'chain',
  open: [],
  repeats: { kind: 'moved', frontFromRow: 900 },
  counts: { ...NO_COUNTS, gaps: 1 },
  lastTotal: 12,
  leastRecords: 11,
};

test('gives back an export exactly as it was stored, every optional member included', async () => {
  const { ledger } = service;
  const connection = newConnection();
  const state: ExportState = {
    ...stateOf(connection, 'one', 't1'),
    status: 'halted',
    lease: { owner: 'o', untilMs: 5 },
    walk: walkWith(stateOf(connection, 'one', 't1').walk, { lastTotal: 12 }),
    dropped: [{ page: 3, perPage: 49 }],
    end: { atMs: 6, rules: ['total', 'empty-page'], contradictions: [], proof: PROOF },
    repeats: {
      ...{ rounds: 1, ids: 2, texts: 3, readParts: 4, rewrittenParts: 5, conflicts: 6, moved: 7 },
      ...{ removed: 8, found: 'etag', isSettled: true },
    },
    parts: { count: 1, lastToken: 'abc', storedBytes: 7 },
    keyVersions: ['v1', 'v2'],
    firstMetaText: '{"total":9007199254740993}',
    warnings: [{ message: 'meta.total is not usable as total', pages: 3 }],
    reason: { code: 'authentication-failure', message: 'No.', status: 401, requestId: 'r' },
    completeness: { verdict: 'drifted', reasons: ['a'] },
    unannounced: [
      { kind: 'halted', step: 1, atMs: 2, pages: 3, customers: 4, reasonCode: 'key-missing' },
    ],
  };

  expect(await ledger.writeExport(state, undefined)).toEqual({ kind: 'written' });

  expect(await ledger.readExport(connection, 'one')).toEqual(state);
  expect(await ledger.readExport(connection, 'two')).toBeUndefined();
});

test('lists an export that is over, from when it is due, until its events are told', async () => {
  const { ledger } = service;
  const connection = newConnection();
  const own = async (untilMs: number) => {
    const names = await ledger.listUntold(untilMs);
    return names.filter((each) => each.connection === connection);
  };
  const running = stateOf(connection, 'one', 't1');
  const ended: ExportState = {
    ...running,
    writeToken: 't2',
    status: 'completed',
    unannounced: ['completed'],
  };
  const dueAtMs = sweepAtMs(ended) ?? 0;
  await ledger.writeExport(running, undefined);
  expect(await own(FOREVER_MS)).toEqual([]);

  await ledger.writeExport(ended, 't1');
  expect(await own(dueAtMs - 1)).toEqual([]);
  expect(await own(dueAtMs)).toEqual([{ connection, exportId: 'one' }]);

  await ledger.writeExport({ ...ended, writeToken: 't3', unannounced: [] }, 't2');
  expect(await own(FOREVER_MS)).toEqual([]);
});

test('refuses a write with an outdated token and tells what is there', async () => {
  const { ledger } = service;
  const connection = newConnection();
  const first = stateOf(connection, 'one', 't1');
  const second = { ...first, writeToken: 't2', step: 1 };
  await ledger.writeExport(first, undefined);
  expect(await ledger.writeExport(second, 't1')).toEqual({ kind: 'written' });

  const late = { ...first, writeToken: 't3', step: 9 };

  expect(await ledger.writeExport(late, 't1')).toEqual({ kind: 'conflict', current: second });
  expect(await ledger.writeExport(late, undefined)).toEqual({ kind: 'conflict', current: second });
  expect(await ledger.writeExport(stateOf(connection, 'none', 't3'), 't1')).toEqual({
    kind: 'conflict',
    current: undefined,
  });
});

test('recognizes its own write whose answer was lost', async () => {
  const { ledger, loseNext } = service;
  const connection = newConnection();
  const first = stateOf(connection, 'one', 't1');

  loseNext();
  expect(await ledger.writeExport(first, undefined)).toEqual({ kind: 'written' });
  loseNext();
  expect(await ledger.writeExport({ ...first, writeToken: 't2' }, 't1')).toEqual({
    kind: 'written',
  });
});

test('lets one of 50 simultaneous claims win', async () => {
  const { ledger } = service;
  const connection = newConnection();
  const first = stateOf(connection, 'one', 'start');
  await ledger.writeExport(first, undefined);

  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      ledger.writeExport({ ...first, writeToken: `claim-${index}` }, 'start'),
    ),
  );

  const winners = results.flatMap(({ kind }, index) => (kind === 'written' ? [index] : []));
  expect(winners).toHaveLength(1);
  const stored = await ledger.readExport(connection, 'one');
  expect(stored?.writeToken).toBe(`claim-${winners[0]}`);
});

test('lists all parts of an export over many pages of the query', async () => {
  const { ledger } = service;
  const connection = newConnection();
  const part = (number: number, exportId: string): PartRecord => ({
    connection,
    exportId,
    number,
    token: 'abcd1234',
    ...(number > 1 ? { previousToken: 'abcd1234' } : {}),
    key: `k/${'x'.repeat(100_000)}`,
    firstPage: number,
    pages: 1,
    records: 2,
    bytes: 3,
    storedBytes: 4,
    sha256: 'f'.repeat(64),
    version: '"etag"',
    withoutId: 1,
    repeats: { ids: 2, texts: 1 },
    index: { bytes: 1_040, version: '"index"' },
    deleteAfterMs: 5,
  });
  // DynamoDB answers a query with at most 1 MB.
  const records = Array.from({ length: 25 }, (_, index) => part(index + 1, 'one'));
  for (const record of records) await ledger.putPart(record);
  await ledger.putPart(part(1, 'one-more'));

  const listed = await ledger.listParts(connection, 'one');

  expect([...listed].sort((a, b) => a.number - b.number)).toEqual(records);
});

test('stores the time to live in whole seconds beside the state', async () => {
  const { ledger, table } = service;
  const connection = newConnection();
  const state = { ...stateOf(connection, 'one', 't'), deleteAfterMs: 1_500 };
  await ledger.writeExport(state, undefined);

  const place = { connection, sort: 'export#one', schema: v.unknown() };
  expect(await table.get(place)).toMatchObject({ deleteAt: 2 });
});

test('names the attribute of an item that cannot be read, and no value', async () => {
  const { ledger, table } = service;
  const connection = newConnection();
  const key = { connection, sort: 'export#one' };
  await table.put(key, { ...stateOf(connection, 'one', 'canary-token'), step: 'canary-step' });

  const reading = ledger.readExport(connection, 'one');

  await expect(reading).rejects.toThrow(
    `The ledger item export#one of connection ${connection} cannot be read: step is missing or of another kind than expected.`,
  );
  await expect(reading).rejects.not.toThrow('canary');
});

test('keeps a pace in the gate beside the wait, and takes one of another version for none', async () => {
  const { gates, table } = service;
  const connection = 'with-a-pace';
  const learned = { ...NOTHING_LEARNED, blockedUntilMs: 5 };
  const pace = { v: 2, limit: 'bucket', requestsPerSecond: 49.5, learned } as const;
  await gates.blockUntil(connection, 2_000);
  const organization = { writeToken: 'one', id: 'acme', credentials: ['v1/'] };
  await gates.replaceOrganization(connection, organization, undefined);
  await gates.storePace(connection, 'acme', pace);
  await gates.blockUntil(connection, 1_000);

  expect(await gates.read(connection)).toEqual({
    blockedUntilMs: 2_000,
    haltedKeyVersions: [],
    pace,
    organization,
  });

  await table.update({ connection, sort: 'gate' }, 'SET paceText = :pace', { ':pace': '{"v":1}' });

  expect(await gates.read(connection)).toEqual({
    blockedUntilMs: 2_000,
    haltedKeyVersions: [],
    organization,
  });
});

test('raises the wait of a gate and never lowers it', async () => {
  const { gates } = service;
  const connection = newConnection();
  expect(await gates.read(connection)).toEqual({ blockedUntilMs: 0, haltedKeyVersions: [] });

  await gates.blockUntil(connection, 2_000);
  await gates.blockUntil(connection, 1_000);

  expect((await gates.read(connection)).blockedUntilMs).toBe(2_000);
});

test('collects halted key versions from writers at the same time', async () => {
  const { gates, loseNext } = service;
  const connection = newConnection();
  loseNext();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      gates.haltKeyVersion(connection, { keyVersion: `v${index % 10}` }),
    ),
  );

  const { haltedKeyVersions, blockedUntilMs } = await gates.read(connection);

  expect(new Set(haltedKeyVersions).size).toBe(10);
  expect(haltedKeyVersions).toHaveLength(10);
  expect(blockedUntilMs).toBe(0);
});

test.each<[string, Partial<ExportState>]>([
  ['more than 400 KB', { firstMetaText: 'x'.repeat(410_000) }],
  ['a number out of range', { firstTotal: 1e300 }],
])('says that an export is unstorable when its state has %s', async (_, more) => {
  const { ledger } = service;
  const connection = newConnection();
  const first = stateOf(connection, 'one', 't1');
  await ledger.writeExport(first, undefined);

  const stored = ledger.writeExport({ ...first, ...more, writeToken: 't2' }, 't1');

  await expect(stored).rejects.toMatchObject({
    name: 'UnstorableItemError',
    code: 'ITEM_UNSTORABLE',
    message: expect.stringContaining('400 KB'),
  });
  expect(await ledger.readExport(connection, 'one')).toEqual(first);
});
