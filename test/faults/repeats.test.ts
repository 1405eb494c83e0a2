import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { randomOf } from '../../infra/simulator/random.ts';
import type { Page } from '../../lib/customers-api/outcome.ts';
import { hashRecords } from '../../lib/customers-api/record-hashes.ts';
import type { RepeatRule, WalkProof } from '../../lib/customers-api/walks/taken.ts';
import { endingOf } from '../../lib/exports/compression.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { PartWriter } from '../../lib/exports/part.ts';
import type { PartRecord } from '../../lib/exports/part-record.ts';
import { exportPrefix, indexKey, manifestKey, partKey } from '../../lib/exports/store-objects.ts';
import { expectMet, seedsOf, tried, trySeed } from '../deep/depth.ts';
import { begun, END, lineOf, PROOF } from '../lib/exports/state-of.ts';
import { checkOver, checkRequests, placeIn, storedRecords } from './checks.ts';
import { randomFaults } from './fault-plan.ts';
import { pageOf, pageWith, tokenBucket } from './model-api.ts';
import { EXPORT_ID, isOver, runExport } from './run-export.ts';
import { CONNECTION, World } from './world.ts';

const ManifestSchema = v.object({
  completeness: v.object({ verdict: v.string(), reasons: v.array(v.string()) }),
  ids: v.object({
    keys: v.array(v.string()),
    missing: v.number(),
    repeated: v.number(),
    conflicts: v.exactOptional(v.number()),
    equal: v.number(),
  }),
});

function manifestOf(world: World) {
  const text = world.store.read(manifestKey(placeIn(world, EXPORT_ID)))?.text ?? 'null';
  return v.parse(ManifestSchema, JSON.parse(text));
}

/** The records of another page, in reverse, under the number and the counts of this one. */
function withRecordsOf(page: Page, other: Page, renamed = 'id'): Page {
  return withRecords(
    page,
    other.records.toReversed().map((record) => record.replace('"id"', `"${renamed}"`)),
  );
}

function withRecords(page: Page, records: readonly string[]): Page {
  const ndjson = Buffer.from(records.map((record) => `${record}\n`).join(''));
  const { hashes: recordHashes, fingerprint } = hashRecords(ndjson, records.length, 'id');
  const { release: _release, ...rest } = page;
  return { ...rest, records, ndjson, recordHashes, fingerprint };
}

const TOTAL = 600;
/** Page 50 has the records of page 3: too long ago to be noticed while pages are read. */
const repeating = (page: number) =>
  page === 50 ? withRecordsOf(pageOf(TOTAL, 50, 10), pageOf(TOTAL, 3, 10)) : undefined;

/** The same with other names for the records with an even id. */
function edited(page: Page | undefined): Page | undefined {
  if (page === undefined) return undefined;
  const records = page.records.map((record) => record.replace(/([02468],"name":")/, '$1edited '));
  return withRecords(page, records);
}

test.each([
  ['in one part', { partMaxPages: 500 }],
  ['in parts of 7 pages', { partMaxPages: 7 }],
  ['in parts of 7 pages of zstd', { partMaxPages: 7, compression: 'zstd' }],
] as const)(
  'says how many customers came twice though all counts agree, %s',
  async (_, settings) => {
    const world = await runExport({
      customers: TOTAL,
      settings,
      behaviour: ({ page }) => repeating(page),
    });
    checkOver(world, EXPORT_ID);

    const { completeness, ids } = manifestOf(world);
    expect(ids).toEqual({ keys: ['id'], missing: 0, repeated: 10, conflicts: 0, equal: 0 });
    expect(completeness.verdict).toBe('drifted');
    expect(completeness.reasons.join(' ')).toContain('10 records came with an id (id) that had');
    const stored = storedRecords(world, EXPORT_ID);
    expect(new Set(stored).size).toBe(TOTAL - 10);
    expect(stored).toHaveLength(TOTAL - 10);
    // The indexes are gone with the end.
    const kept = world.store.list(exportPrefix(placeIn(world, EXPORT_ID))).map(({ key }) => key);
    const ending = endingOf(world.settings.compression);
    expect(kept.filter((key) => !key.endsWith(ending))).toEqual([
      manifestKey(placeIn(world, EXPORT_ID)),
    ]);
    expect(kept.some((key) => key.endsWith(`-compact${ending}`))).toBe(true);
  },
);

test('says how many customers without an id are equal', async () => {
  const world = await runExport({
    customers: TOTAL,
    settings: { partMaxPages: 7 },
    behaviour: ({ page }) => {
      const of = pageOf(TOTAL, page, 10);
      return withRecordsOf(of, page === 50 ? pageOf(TOTAL, 3, 10) : of, 'number');
    },
  });
  checkOver(world, EXPORT_ID);

  const { completeness, ids } = manifestOf(world);
  expect(ids).toEqual({ keys: ['id'], missing: TOTAL, repeated: 0, equal: 10 });
  expect(completeness.verdict).toBe('unproven');
  expect(completeness.reasons.join(' ')).toContain('Set idKey');
});

/** A part of these records, as a worker stores it. */
async function partOf(
  world: World,
  number: number,
  records: readonly string[],
  again = 0,
): Promise<PartRecord> {
  const ndjson = Buffer.from(records.map((record) => `${record}\n`).join(''));
  const { hashes: recordHashes } = hashRecords(ndjson, records.length, 'id');
  const writer = new PartWriter(number, 'gzip');
  await writer.append({ ndjson, recordCount: records.length, recordHashes }, { again });
  const body = await writer.finish();
  const token = `token-${number}`;
  const key = partKey(placeIn(world, EXPORT_ID), number, token, 'gzip');
  const about = { contentType: 'application/octet-stream' } as const;
  const { stored: index, sha256: indexSha256, withoutId, repeats } = body.index;
  return {
    ...{ connection: CONNECTION, exportId: EXPORT_ID, number, token, key, firstPage: number },
    ...{ pages: 1, records: records.length, bytes: body.bytes, storedBytes: body.stored.length },
    version: world.store.put(key, body.stored, { ...about, sha256: body.sha256 }),
    ...{ sha256: body.sha256, deleteAfterMs: 0, withoutId, repeats },
    ...(body.again === undefined ? {} : { again: body.again }),
    ...(number === 1 ? {} : { previousToken: `token-${number - 1}` }),
    index: {
      bytes: index.length,
      version: world.store.put(indexKey(key), index, { ...about, sha256: indexSha256 }),
    },
  };
}

/** Finishes an export of these parts. */
async function finish(
  world: World,
  parts: readonly (readonly string[])[],
  proof: Partial<WalkProof> = {},
  { again = 0, own = {} }: { readonly again?: number; readonly own?: Partial<ExportState> } = {},
): Promise<void> {
  const entry = { connection: CONNECTION, exportId: EXPORT_ID, sinceMs: world.clock.now() };
  const state = begun(entry);
  for (const [index, records] of parts.entries()) {
    world.ledger.putPart(await partOf(world, index + 1, records, again));
  }
  world.ledger.writeLine(lineOf(CONNECTION, entry), undefined);
  const count = parts.length;
  const customers = parts.reduce((sum, records) => sum + records.length, 0);
  const ended: ExportState = {
    ...state,
    ...own,
    wakeUpSent: true,
    walk: { ...state.walk, idKey: 'id' },
    counters: { ...state.counters, customers },
    parts: { count, lastToken: `token-${count}`, storedBytes: 2 },
    end: { ...END, proof: { ...PROOF, ...proof } },
  };
  world.ledger.writeExport(ended, undefined);
  world.deliver({ v: 1, connection: CONNECTION, exportId: EXPORT_ID, step: 0 });
  await world.runUntil(() => isOver(world), false);
}

const HARMLESS = { kind: 'harmless' } as const;
const MOVED = { kind: 'moved' } as const;

/** In parts of ten rows, the row at `from` comes again as the row at `to`; of each part, the first `again` rows were read again. */
test.each<[number, number, 'same' | 'changed', RepeatRule, number, string]>([
  [3, 4, 'same', MOVED, 0, 'drifted'],
  [3, 17, 'same', MOVED, 7, 'drifted'],
  [3, 17, 'same', MOVED, 8, 'complete'],
  [13, 27, 'changed', MOVED, 8, 'complete'],
  [13, 27, 'changed', MOVED, 7, 'drifted'],
  [3, 28, 'changed', { ...MOVED, frontFromRow: 28 }, 0, 'complete'],
  [3, 28, 'same', { ...MOVED, frontFromRow: 28 }, 0, 'drifted'],
  [3, 28, 'changed', { ...MOVED, frontFromRow: 29 }, 0, 'drifted'],
  [23, 28, 'same', { ...MOVED, frontFromRow: 23 }, 0, 'complete'],
  [23, 28, 'same', { ...MOVED, frontFromRow: 24 }, 0, 'drifted'],
  [23, 28, 'same', { ...MOVED, frontFromRow: 0 }, 0, 'drifted'],
  [3, 28, 'same', { ...MOVED, frontFromRow: 28 }, 4, 'complete'],
  [3, 28, 'same', { ...MOVED, frontFromRow: 28 }, 3, 'drifted'],
  [3, 28, 'same', { ...MOVED, mayBeEqual: true }, 0, 'complete'],
  [3, 28, 'changed', { ...MOVED, mayBeEqual: true }, 0, 'drifted'],
  [0, 29, 'same', HARMLESS, 0, 'complete'],
])(
  'row %i that comes again as row %i, %s, under %j with %i rows of each part read again leaves the export %s',
  async (...of) => {
    const [from, to, text, repeats, again, verdict] = of;
    const world = new World();
    const rows = Array.from({ length: 30 }, (_, at) => `{"id":${at}}`);
    rows[to] = text === 'same' ? `{"id":${from}}` : `{"id":${from},"edits":1}`;
    const parts = [0, 1, 2].map((part) => rows.slice(10 * part, 10 * part + 10));
    await finish(world, parts, { order: 'fixed', repeats }, { again });

    checkOver(world, EXPORT_ID);
    const { ids, completeness } = manifestOf(world);
    expect([ids.repeated, completeness.verdict]).toEqual([1, verdict]);
    // Two texts that no edit explains are of two records.
    const staysTwice = verdict === 'drifted' && text === 'changed';
    const left = rows.filter((_row, at) => staysTwice || at !== from);
    expect(storedRecords(world, EXPORT_ID)).toEqual(left);
    const said = completeness.reasons.join(' ');
    expect(said.includes('those with another text are all in the parts')).toBe(staysTwice);
  },
);

test('of two records with one id that stand still, rows that were read again are left out once', async () => {
  const world = new World();
  const [one, other] = ['{"id":1,"name":"one"}', '{"id":1,"name":"other"}'];
  await finish(
    world,
    [[one, '{"id":2}'], [one, other, '{"id":3}'], ['{"id":4}']],
    { repeats: MOVED },
    { again: 1 },
  );

  checkOver(world, EXPORT_ID);
  expect(manifestOf(world).completeness.verdict).toBe('drifted');
  const ids = [2, 3, 4].map((id) => `{"id":${id}}`);
  expect(storedRecords(world, EXPORT_ID)).toEqual([ids[0], one, other, ids[1], ids[2]]);
});

test.each<[string, Partial<ExportState>, Partial<WalkProof>]>([
  ['the total changed', { firstTotal: 29 }, { lastTotal: 30 }],
  ['records were recovered', {}, { counts: { ...PROOF.counts, recovered: 1 } }],
])(
  'of a record with another text at another place the newest stays where %s',
  async (_, own, proof) => {
    const world = new World();
    const edited = '{"id":1,"edits":1}';
    await finish(
      world,
      [
        ['{"id":1}', '{"id":2}'],
        ['{"id":3}', edited],
      ],
      { repeats: MOVED, ...proof },
      { own },
    );

    checkOver(world, EXPORT_ID);
    expect(manifestOf(world).completeness.verdict).toBe('drifted');
    expect(storedRecords(world, EXPORT_ID)).toEqual(['{"id":2}', '{"id":3}', edited]);
  },
);

test.each([11, 12, 15, 19, 20, 25, 70])(
  'two records with one id that stand %i rows apart in a list that stands still both stay, and it is not complete',
  async (apart) => {
    for (const from of [12, 17, 23]) {
      const records = Array.from({ length: 100 }, (_, at) => `{"id":${at},"street":${at}}`);
      records[from + apart] = `{"id":${from},"street":"another one"}`;
      const world = await runExport({
        ...{ walk: 'verified', order: 'fixed' },
        behaviour: ({ page, perPage }) =>
          pageWith(records.slice((page - 1) * perPage, page * perPage), page),
      });
      checkOver(world, EXPORT_ID);
      expect(manifestOf(world).completeness.verdict).toBe('drifted');
      expect(storedRecords(world, EXPORT_ID)).toEqual(expect.arrayContaining(records));
    }
  },
);

test('a part that knows of no repeats is not read to look for them', async () => {
  const calls: string[] = [];
  const faults = (_call: number, name: string) => void calls.push(name);
  await finish(new World({ faults }), [['{"id":1}', '{"id":2}']]);

  expect(calls).toContain('list');
  expect(calls).not.toContain('readBytes');
});

test('of records that were edited one row each is left, if they are some percent of all', async () => {
  const world = new World();
  const before = Array.from({ length: 200 }, (_, at) => `{"id":${at}}`);
  const edited = Array.from({ length: 12 }, (_, at) => `{"id":${at},"edits":1}`);
  await finish(world, [before, edited]);

  checkOver(world, EXPORT_ID);
  expect(manifestOf(world)).toMatchObject({ ids: { repeated: 12, conflicts: 12 } });
  expect(storedRecords(world, EXPORT_ID)).toEqual([...before.slice(12), ...edited]);
});

const SIZES: readonly [string, (asked: number) => number][] = [
  ['of the size that is asked for', (asked) => asked],
  ['of 10 whatever is asked for', () => 10],
];

test.each(SIZES)(
  'records that have another text in each answer are stored once each and shown to be complete, on pages %s',
  async (_, sizeOf) => {
    let answers = 0;
    const world = await runExport({
      walk: 'verified',
      behaviour: ({ page, perPage }) => {
        answers++;
        const size = sizeOf(perPage);
        const rows = Array.from({ length: 75 }, (_row, id) => `{"id":${id},"signed":${answers}}`);
        return pageWith(rows.slice((page - 1) * size, page * size), page);
      },
    });

    checkOver(world, EXPORT_ID);
    const { completeness, ids } = manifestOf(world);
    expect([completeness.verdict, ids.conflicts]).toEqual(['complete', 75]);
    const stored = storedRecords(world, EXPORT_ID);
    expect(new Set(stored.map((record) => JSON.parse(record).id)).size).toBe(75);
    expect(stored).toHaveLength(75);
  },
);

test.each(SIZES)(
  'all records are left in the parts where two of each have one id, on pages %s',
  async (_, sizeOf) => {
    const rows = Array.from({ length: 74 }, (_row, at) => `{"id":${at % 37},"street":${at}}`);
    const world = await runExport({
      walk: 'verified',
      behaviour: ({ page, perPage }) => {
        const size = sizeOf(perPage);
        return pageWith(rows.slice((page - 1) * size, page * size), page);
      },
    });

    checkOver(world, EXPORT_ID);
    const { completeness } = manifestOf(world);
    expect(completeness).toMatchObject({
      verdict: 'drifted',
      reasons: expect.arrayContaining([
        expect.stringContaining('does not tell one record from another'),
      ]),
    });
    expect(storedRecords(world, EXPORT_ID)).toEqual(expect.arrayContaining(rows));
  },
);

const RECORDS_PER_PART = 270_000;

/** Records that are compared in the last of two rounds, so that the first one finds nothing. */
function lateRecords(count: number): readonly string[] {
  const records = Array.from({ length: 10 * count }, (_, at) => `{"id":${1_000_000 + at}}`);
  const { hashes } = hashRecords(Buffer.from(`${records.join('\n')}\n`), records.length, 'id');
  return records.filter((_, at) => (hashes[2 * at + 1] ?? 0) >= 2 ** 31).slice(0, count);
}

const LATE = lateRecords(7);

/** A part of so many customers, with the late records in its middle. */
function longPart(number: number): readonly string[] {
  const own = RECORDS_PER_PART - LATE.length;
  const records = Array.from({ length: own }, (_, at) => `{"id":${number * own + at}}`);
  return records.toSpliced(own / 2, 0, ...LATE);
}

test('goes on with repeats in the next step when the time of one is over', async () => {
  // A step has time for two reads and a bit more: of indexes, of what the step before found, of parts.
  const world = new World({ readMs: 9_000, timeoutMs: 30_000 });
  await finish(world, [longPart(1), longPart(2)]);

  checkOver(world, EXPORT_ID);
  const results = world.reports.map(({ result }) => result);
  expect(results).toEqual(['goes-on', 'goes-on', 'completed']);
  expect(manifestOf(world).ids).toMatchObject({ repeated: 7, conflicts: 0 });
  const stored = storedRecords(world, EXPORT_ID);
  expect(stored).toHaveLength(2 * RECORDS_PER_PART - 7);
  expect(new Set(stored).size).toBe(stored.length);
  const names = [...world.store.objects.keys()].filter((key) => key.includes('part-'));
  expect(names.filter((name) => !/part-00001-compact|part-00002-token-2\.nd/.test(name))).toEqual(
    [],
  );
});

test.each<[string, (store: World['store'], key: string) => unknown]>([
  ['as it was stored', () => undefined],
  ['gone', (store, key) => store.objects.delete(key)],
  ['another one', (store, key) => store.objects.set(key, new Uint8Array(36).fill(1))],
])('leaves one row of each where what the step before found is %s', async (_, change) => {
  let found = 0;
  // A step has time for two reads and a bit more.
  const world: World = new World({
    ...{ readMs: 9_000, timeoutMs: 30_000 },
    faults: (_call, name) => {
      const keys = [...world.store.objects.keys()].filter((key) => key.includes('repeats'));
      if (name !== 'listParts' || keys.length === 0 || found > 0) return undefined;
      for (const key of keys) change(world.store, key);
      found += keys.length;
      return undefined;
    },
  });
  const parts = [0, 1, 2, 3].map((part) => [`{"id":${part}}`, '{"id":7}', '{"id":8}']);
  await finish(world, parts);

  checkOver(world, EXPORT_ID);
  expect(found).toBeGreaterThan(0);
  const ids = [0, 1, 2, 3, 7, 8].map((id) => `{"id":${id}}`);
  expect(storedRecords(world, EXPORT_ID)).toEqual(ids);
});

test('a worker that goes on with repeats long after another one has completed the export leaves nothing behind', async () => {
  let late = 0;
  for (const turn of [1, 2, 3, 4]) {
    let reads = 0;
    const world = await runExport({
      ...{ seed: turn, customers: TOTAL, settings: { partMaxPages: 20 } },
      behaviour: ({ page }) => repeating(page),
      faults: (_call, name) =>
        name === 'readBytes' && reads++ === turn ? 'freeze-before' : undefined,
    });
    late += world.reports.at(-1)?.result === 'overtaken' ? 1 : 0;

    checkOver(world, EXPORT_ID);
    const kept = world.store.list(exportPrefix(placeIn(world, EXPORT_ID))).map(({ key }) => key);
    expect(kept.filter((key) => key.endsWith('.index'))).toEqual([]);
    expect(storedRecords(world, EXPORT_ID)).toHaveLength(TOTAL - 10);
  }
  expect(late).toBeGreaterThan(0);
});

const SEEDS = seedsOf({ short: 4, deep: 300 });

test(`counts each repeat once, whatever crashes, for ${SEEDS.length} seeds`, async () => {
  tried('seeds of repeats', SEEDS.length);
  let read = 0;
  for (const seed of SEEDS) {
    await trySeed(seed, async () => {
      const random = randomOf(seed + 3_000_000);
      const faults = randomFaults(random, 0.05, 400);
      const limit = tokenBucket(1 + random() * 5, 1 + Math.floor(random() * 20));
      const world = await runExport({
        seed,
        customers: TOTAL,
        settings: {
          partMaxPages: 5 + Math.floor(random() * 20),
          compression: seed % 2 === 0 ? 'zstd' : 'gzip',
        },
        behaviour: (request) => limit(request) ?? edited(repeating(request.page)),
        faults: (call, name) => {
          if (name === 'readBytes') read++;
          return faults(call, name);
        },
        duplicates: random() * 0.3,
      });
      checkOver(world, EXPORT_ID);
      checkRequests(world);
      expect(manifestOf(world)).toMatchObject({
        ids: { repeated: 10, conflicts: 5 },
        completeness: { verdict: 'drifted' },
      });
      const stored = storedRecords(world, EXPORT_ID);
      // Those with another text, at a place that nothing explains, stay beside those of before.
      expect(stored).toHaveLength(TOTAL - 10 + 5);
      expect(stored.filter((record) => record.includes('edited'))).toHaveLength(5);
      expect(new Set(stored.map((record) => JSON.parse(record).id)).size).toBe(TOTAL - 10);
    });
  }
  expectMet({ read }, { short: 10, deep: 300 });
}, 1_800_000);
