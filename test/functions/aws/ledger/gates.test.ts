import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createGates } from '../../../../functions/aws/ledger/gates.ts';
import { hearLedgerClock } from '../../../../functions/aws/ledger/ledger-clock.ts';
import { LedgerTable } from '../../../../functions/aws/ledger/ledger-table.ts';
import { onSharedClock } from '../../../../lib/gate/gates-on-shared-clock.ts';
import type { GateLook, Gates } from '../../../../lib/gate/ports.ts';
import {
  type TakenPlaces,
  takePlaces,
  type WantedPlaces,
} from '../../../../lib/gate/take-places.ts';
import { isHalted } from '../../../../lib/gate/usable-connection.ts';
import { NOTHING_LEARNED } from '../../../../lib/pace/learned-pace.ts';
import { startLedger, TABLE } from '../dynalite-ledger.ts';
import { clientFor } from '../test-clients.ts';

let database: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  database = await startLedger();
});
afterAll(() => database.close());

const LIMIT = { kind: 'bucket', requestsPerSecond: 10, burst: 1 } as const;

/** Takes places in the ledger as one of many processes does. */
function takeIn(
  connection: string,
  wanted: Partial<WantedPlaces> = {},
  gates: Gates = database.gates,
) {
  const ports = { clock: { now: () => 1_000 }, gates };
  const none = {
    connection,
    seen: UNSEEN,
    limit: LIMIT,
    caller: 'live' as const,
    count: 1,
  };
  return takePlaces(ports, { ...none, earliestAtMs: 1_000, latestAtMs: 60_000, ...wanted });
}

const UNSEEN: GateLook = { atMs: 0, blockedUntilMs: 0, haltedKeyVersions: [] };
const seenIn = async (connection: string) => ({
  ...(await database.gates.read(connection)),
  atMs: 0,
});

const timesOf = (taken: TakenPlaces) => (taken.kind === 'granted' ? taken.atMs : []);

test('hands every place out once, however many ask at once', async () => {
  const callers = ['live', 'write', 'export'] as const;
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      takeIn('busy', { count: 3, caller: callers[index % 3] ?? 'live' }),
    ),
  );

  const places = all.flatMap(timesOf).sort((a, b) => a - b);
  expect(places).toEqual(Array.from({ length: 24 }, (_, index) => 1_000 + index * 100));
  expect((await database.gates.read('busy')).places).toMatchObject({ othersTaken: 18 });
});

test('a lost answer loses a place, and gives none out twice', async () => {
  expect(timesOf(await takeIn('lost'))).toEqual([1_000]);
  const seen = await seenIn('lost');
  database.loseNext();
  // The SDK makes the write again.
  expect(timesOf(await takeIn('lost', { seen }))).toEqual([1_200]);
  expect(timesOf(await takeIn('lost'))).toEqual([1_300]);

  database.loseNext();
  expect(timesOf(await takeIn('lost-first'))).toEqual([1_100]);
});

test('keeps the gate as it is, and connections apart', async () => {
  await database.gates.blockUntil('gated', 5_000);

  await takeIn('gated');

  expect(await database.gates.read('gated')).toMatchObject({ blockedUntilMs: 5_000 });
  expect(timesOf(await takeIn('free'))).toEqual([1_000]);
});

test('gives no place to who cannot wait, and none before the end of a wait that it sees', async () => {
  await takeIn('full', { count: 5 });
  const seen = await seenIn('full');
  expect(await takeIn('full', { seen, latestAtMs: 1_400 })).toMatchObject({
    kind: 'full',
    againAtMs: 1_500,
  });

  await database.gates.blockUntil('full', 9_000);
  expect(timesOf(await takeIn('full'))).toEqual([9_000]);
});

const WHOLE = {
  fullAtMs: 0,
  windowFromMs: 0,
  windowUsed: 0,
  windowAsked: 0,
  windowAskedBefore: 0,
  othersTaken: 0,
  othersAtMs: 0,
};
const GATE = { sort: 'gate', schema: v.unknown() };

test.each([
  ['text', 'v2:AAEC'],
  ['a list', [1, 2]],
  ['of another version', { v: 2, bucket: { fullAtMs: 1 } }],
  ['one member short', { ...WHOLE, othersAtMs: undefined }],
  ['with a text for a number', { ...WHOLE, windowUsed: '1' }],
])('places that are %s count as none, and the next write replaces them', async (what, stored) => {
  const connection = `malformed-${what.replaceAll(' ', '-')}`;
  await database.gates.blockUntil(connection, 500);
  await database.table.update({ connection, ...GATE }, 'SET places = :p', { ':p': stored });

  const seen = await seenIn(connection);
  expect(seen).toEqual({ atMs: 0, blockedUntilMs: 500, haltedKeyVersions: [] });
  expect(timesOf(await takeIn(connection, { seen }))).toEqual([1_000]);
  expect(timesOf(await takeIn(connection, { seen }))).toEqual([1_100]);
  expect((await seenIn(connection)).places).toMatchObject({ fullAtMs: 1_200, othersTaken: 2 });
});

test.each([
  ['a time far ahead', { ...WHOLE, fullAtMs: 1e120, othersAtMs: 1e120 }],
  ['a time before the epoch', { ...WHOLE, fullAtMs: -5.5, othersTaken: 0.5 }],
])('%s in the places holds nobody up', async (what, stored) => {
  const connection = `odd-${what.replaceAll(' ', '-')}`;
  await database.table.update({ connection, ...GATE }, 'SET places = :p', { ':p': stored });
  const seen = await seenIn(connection);
  expect(timesOf(await takeIn(connection, { seen }))).toEqual([1_000]);
});

const OPENING = { id: 'o', atMs: 1, by: 'me', reason: 'asked', untilMs: 5_000 };

test.each([
  ['paceText', { v: 3 }],
  ['paceText', '{"v":3}'],
  ['organizationSample', { v: 2 }],
  ['waitAsSent', ['Retry-After: 1']],
  ['opening', { ...OPENING, atMs: 'now' }],
  ['stoppedExportId', 7],
])('an advice that another version stored, %s %j, stops nobody', async (name, stored) => {
  const { gates, table } = database;
  const connection = `advice-${name}-${typeof stored}`;
  await table.update({ connection, ...GATE }, `SET ${name} = :it`, { ':it': stored });
  expect(await gates.read(connection)).toEqual({ blockedUntilMs: 0, haltedKeyVersions: [] });

  expect(timesOf(await takeIn(connection))).toEqual([1_000]);
  await gates.blockUntil(connection, 5_000, 'Retry-After: 4');
  expect(await gates.open(connection, () => OPENING)).toMatchObject({ opening: OPENING });
});

test.each([
  ['blockedUntilMs', 'soon'],
  ['haltedKeyVersions', 'v1'],
  // Versions could be read, but no further one could be added to a list.
  ['haltedKeyVersions', ['v1']],
  ['haltedUntilMs', 'soon'],
  ['organization', { id: 'acme' }],
])('what binds all callers is not passed over: %s %j', async (name, stored) => {
  const connection = `binding-${name}-${typeof stored}`;
  await database.table.update({ connection, ...GATE }, `SET ${name} = :it`, { ':it': stored });
  await expect(database.gates.read(connection)).rejects.toThrow(name);
  expect(await takeIn(connection)).toMatchObject({ kind: 'failed' });
});

test('a wait is only ever raised, and whoever raises it says what the API sent for it', async () => {
  const { gates } = database;
  expect(await gates.blockUntil('raised', 5_000, 'Retry-After: 4')).toBe(true);
  expect(await gates.blockUntil('raised', 5_000, 'Retry-After: 5')).toBe(false);
  expect(await gates.read('raised')).toMatchObject({ waitAsSent: 'Retry-After: 4' });

  expect(await gates.blockUntil('raised', 5_001)).toBe(true);
  expect(await gates.read('raised')).toEqual({ blockedUntilMs: 5_001, haltedKeyVersions: [] });
});

test('whoever takes a place sees what else the gate says by now', async () => {
  const seen = await seenIn('closed-meanwhile');
  await database.gates.blockUntil('closed-meanwhile', 9_000);
  await database.gates.haltKeyVersion('closed-meanwhile', { keyVersion: 'v1' });

  expect(await takeIn('closed-meanwhile', { seen })).toMatchObject({
    kind: 'granted',
    look: { atMs: 1_000, blockedUntilMs: 9_000, haltedKeyVersions: ['v1'] },
  });
});

test('a person who opens the gate also forgets the places', async () => {
  await takeIn('opened', { count: 5 });
  await database.gates.blockUntil('opened', 5_000);
  const opening = { id: 'o', atMs: 1, by: 'me', reason: 'asked', untilMs: 5_000 };

  await database.gates.open('opened', () => opening);

  expect((await database.gates.read('opened')).places).toBeUndefined();
});

/** As a function makes its gates, with a clock of its own. */
function processWith(now: () => number) {
  const client = new DynamoDBClient(clientFor(database.url));
  const clock = hearLedgerClock(client, now);
  const gates = onSharedClock(createGates(new LedgerTable(client, TABLE)), clock);
  return { client, gates, now: clock.now };
}

test('keeps a wait for processes whose clocks are 15 s apart, and longer for none by more than 2 s', async () => {
  const processes = [0, 15_000, -15_000].map((aheadMs) => {
    return processWith(() => Date.now() + aheadMs);
  });
  for (const [index, teller] of processes.entries()) {
    const connection = `told-by-${index}`;
    await teller.gates.read(connection);
    const restMs = 60_000;
    const endMs = Date.now() + restMs;
    await teller.gates.blockUntil(connection, teller.now() + restMs);
    for (const reader of processes) {
      const { blockedUntilMs } = await reader.gates.read(connection);
      const readMs = Date.now() + blockedUntilMs - reader.now();
      expect(readMs).toBeGreaterThanOrEqual(endMs - 5);
      expect(readMs).toBeLessThan(endMs + 2_500);
    }
  }
  for (const { client } of processes) client.destroy();
});

test('keeps places for processes whose clocks are 15 s apart', async () => {
  const ahead = [0, 15_000, -15_000].map((aheadMs) => {
    return processWith(() => Date.now() + aheadMs);
  });
  for (const { gates } of ahead) await gates.read('clocks');
  const times: number[] = [];
  for (const { now, gates } of [...ahead, ...ahead]) {
    const seen = { ...(await gates.read('clocks')), atMs: now() };
    const at = now();
    const wish = { seen, earliestAtMs: at, latestAtMs: at + 60_000 };
    const ports = { clock: { now }, gates };
    const wanted = { connection: 'clocks', limit: LIMIT, caller: 'live' as const, count: 1 };
    const taken = await takePlaces(ports, { ...wanted, ...wish });
    times.push(...timesOf(taken).map((atMs) => atMs - now()));
  }
  expect(times).toHaveLength(6);
  // What the processes do not know of the shared clock is 1 s for each; nobody waits for the 15 s.
  for (const waitMs of times) expect(waitMs).toBeLessThan(4_000);
  for (const { client } of ahead) client.destroy();
});

test('who takes a place knows a wait as exactly as who reads the gate', async () => {
  const { client, gates, now } = processWith(() => Date.now() + 15_000);
  await gates.read('own-place');
  const untilMs = now() + 60_000;
  await gates.blockUntil('own-place', untilMs);
  const taken = await takeIn('own-place', {}, gates);
  expect(taken.look).toMatchObject({ blockedUntilMs: untilMs });
  client.destroy();
});

test('knows exactly the wait that this process told itself', async () => {
  const { client, gates } = processWith(Date.now);
  const untilMs = Date.now() + 60_000;
  await gates.blockUntil('own', untilMs);
  expect(await gates.read('own')).toMatchObject({ blockedUntilMs: untilMs });
  client.destroy();
});

const opening = {
  id: 'opening-1',
  atMs: 2_000,
  by: 'arn:aws:iam::123456789012:user/ada',
  reason: 'The API meant an epoch time.',
  untilMs: 253_402_300_799_999,
  waitAsSent: 'Retry-After: 1795262407',
};

test('opens a gate once: the wait is over, the opening and the rejected keys stay', async () => {
  const { gates } = database;
  await gates.haltKeyVersion('shut', { keyVersion: 'v1' });
  await gates.blockUntil('shut', opening.untilMs, opening.waitAsSent);
  expect(await gates.read('shut')).toEqual({
    blockedUntilMs: opening.untilMs,
    haltedKeyVersions: ['v1'],
    waitAsSent: opening.waitAsSent,
  });

  const after = { blockedUntilMs: 0, haltedKeyVersions: ['v1'], opening };
  expect(await gates.open('shut', () => opening)).toEqual(after);
  expect(await gates.read('shut')).toEqual(after);
  expect(await gates.open('shut', () => undefined)).toEqual(after);

  await gates.blockUntil('shut', 9_000);
  expect(await gates.read('shut')).toEqual({ ...after, blockedUntilMs: 9_000 });
});

test('never takes a rejected key version for a good one, nor one that was stored later for a rejected one, and keeps few names', async () => {
  const { gates } = database;
  const connection = 'often-rejected';
  const versions = Array.from({ length: 150 }, (_, index) => ({
    keyVersion: `version-${index}`,
    createdAtMs: 1_000 + index * 10,
  }));
  for (const [index, version] of versions.entries()) {
    await gates.haltKeyVersion(connection, version);
    if (index % 3 === 0) await gates.haltKeyVersion(connection, version);
    if (index % 4 > 0) continue;
    const gate = await gates.read(connection);
    expect(gate.haltedKeyVersions.length).toBeLessThanOrEqual(100);
    // Stored before the other one was rejected, which the functions still knew.
    expect(isHalted({ keyVersion: 'good', createdAtMs: version.createdAtMs + 1 }, gate)).toBe(
      false,
    );
  }

  const gate = await gates.read(connection);
  expect(versions.filter((version) => !isHalted(version, gate))).toEqual([]);
  // Of one without a time nobody knows whether it is among them.
  expect(isHalted({ keyVersion: 'good' }, gate)).toBe(true);
});

test('a rejected key version of which no more is known, or told late, leaves the others rejected', async () => {
  const { gates } = database;
  const connection = 'rejected-late';
  for (let index = 0; index < 100; index++) {
    await gates.haltKeyVersion(connection, { keyVersion: `v${index}`, createdAtMs: index });
  }
  await gates.haltKeyVersion(connection, { keyVersion: 'v99', createdAtMs: 99 });
  const named = await gates.read(connection);
  expect(named.haltedUntilMs).toBeUndefined();

  await gates.haltKeyVersion(connection, { keyVersion: 'timeless' });
  expect(isHalted({ keyVersion: 'timeless' }, await gates.read(connection))).toBe(true);
  await gates.haltKeyVersion(connection, { keyVersion: 'newer', createdAtMs: 6_000 });
  await gates.haltKeyVersion(connection, { keyVersion: 'older', createdAtMs: 5_000 });
  const { haltedKeyVersions } = named;
  expect(await gates.read(connection)).toEqual({
    ...named,
    haltedKeyVersions,
    haltedUntilMs: 6_000,
  });
});

test('decides anew about a wait that comes while a gate is being opened', async () => {
  const { gates, table } = database;
  await gates.blockUntil('racing', 5_000);
  const seen: number[] = [];
  const raced = createGates({
    get: (place) => table.get(place),
    updateAndRead: (place, ...how) => table.updateAndRead(place, ...how),
    update: async (...args) => {
      if (seen.length === 1) await gates.blockUntil('racing', 7_000);
      return table.update(...args);
    },
  });

  await raced.open('racing', ({ blockedUntilMs }) => {
    seen.push(blockedUntilMs);
    return blockedUntilMs > 6_000 ? undefined : { ...opening, untilMs: blockedUntilMs };
  });

  expect(seen).toEqual([5_000, 7_000]);
  expect(await gates.read('racing')).toEqual({ blockedUntilMs: 7_000, haltedKeyVersions: [] });
});

const HASHES = ['h', 'i', 'j', 'k'];

test('keeps pace and sample with their organization, and forgets them with another one', async () => {
  const { gates } = database;
  const connection = 'of-organizations';
  const learned = { ...NOTHING_LEARNED, blockedUntilMs: 5 };
  const pace = { v: 2, limit: 'none', learned } as const;
  const sample = {
    resource: 'customers',
    query: {},
    page: 2,
    hashes: HASHES,
    atMs: 3,
  };
  const first = { writeToken: 'w1', id: 'acme', credentials: ['v1/'] };
  const rotated = { ...first, writeToken: 'w2', credentials: ['v1/', 'v2/'], label: 'Acme' };
  const change = { atMs: 4, previousId: 'acme', keyVersion: 'v3', shownBy: 'sample' } as const;
  const other = { writeToken: 'w3', id: 'globex', credentials: ['v3/'], unannounced: change };

  expect(await gates.replaceOrganization(connection, first, undefined)).toBe(true);
  expect(await gates.replaceOrganization(connection, other, undefined)).toBe(false);
  await gates.storePace(connection, 'acme', pace);
  await gates.storeSample(connection, 'acme', sample);
  expect(await gates.replaceOrganization(connection, rotated, first)).toBe(true);
  expect(await gates.replaceOrganization(connection, other, first)).toBe(false);
  const kept = await gates.read(connection);
  expect(kept).toMatchObject({ organization: rotated, sample });
  expect(kept.pace?.limit).toBe('none');

  expect(await gates.replaceOrganization(connection, other, rotated)).toBe(true);
  // A worker that has not heard of the change.
  await gates.storePace(connection, 'acme', pace);
  await gates.storeSample(connection, 'acme', sample);
  expect(await gates.read(connection)).toEqual({
    blockedUntilMs: 0,
    haltedKeyVersions: [],
    organization: other,
  });
});

test.each([
  [
    'keeps a sample that came after the look',
    { resource: 'c', page: 1, query: {}, hashes: HASHES, atMs: 3 },
    false,
  ],
  [
    'is not stopped by a sample of so few records that it shows nothing',
    { resource: 'c', page: 1, query: {}, hashes: HASHES.slice(1), atMs: 3 },
    true,
  ],
  ['is not stopped by a sample that cannot be read', { v: 2 }, true],
] as const)(
  'a change of the organization that was shown by nothing %s',
  async (title, stored, isStored) => {
    const { gates, table } = database;
    const connection = title.replaceAll(' ', '-');
    const first = { writeToken: 'w1', id: 'acme', credentials: ['v1/'] };
    const change = { atMs: 4, previousId: 'acme', keyVersion: 'v2', shownBy: 'nothing' } as const;
    const other = { writeToken: 'w2', id: 'globex', credentials: ['v2/'], unannounced: change };
    await gates.replaceOrganization(connection, first, undefined);
    const set = 'SET organizationSample = :sample';
    await table.update({ connection, ...GATE }, set, { ':sample': stored });

    expect(await gates.replaceOrganization(connection, other, first)).toBe(isStored);
    const { organization, sample } = await gates.read(connection);
    expect(organization).toEqual(isStored ? other : first);
    expect(sample?.hashes).toEqual(isStored ? undefined : HASHES);
    // Whoever changes nothing of it needs no sample.
    const now = isStored ? other : first;
    const rotated = { ...now, writeToken: 'w3' };
    expect(await gates.replaceOrganization(connection, rotated, now)).toBe(true);
  },
);
