import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ComparedRecords } from '../../../lib/changes/compare-records.ts';
import {
  type HashRecord,
  hashIdAndText,
  WORDS_A_RECORD,
} from '../../../lib/customers-api/record-hashes.ts';
import { COMPRESSIONS, compressionOf } from '../../../lib/exports/compression.ts';
import { amountOf, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { ComparisonWorld, type Parts } from './comparison-world.ts';
import { expectedChanges, foundChanges, plainId } from './expected-changes.ts';

const FOLDER = 'exports/connection=acme/list=customers/export=newer/';
const OLD: Parts = [
  ['{"id":1,"name":"Ada","tags":["a"]}', '{"id":2,"name":"Zo\\u00eb","n":1.0}'],
  ['{"id":"2","name":"text"}', '{"id":3,"x":{"b":1,"a":2}}', '{"id":12345678901234567890}'],
];
const NEW: Parts = [
  ['{"id":12345678901234567891}', '{"x":{"a":2,"b":1},"id":3}'],
  ['{"id":2.0,"name":"Zoë","n":1.0}', '{"id":2,"name":"Zoë","n":1}', '{"id":"2","more":true}'],
];

async function changesOf(before: Parts, now: Parts, world = new ComparisonWorld()) {
  const exports = world.exportsOf(before, now);
  const compared = await world.compare(exports);
  if (compared.kind !== 'compared') throw new Error(compared.reason);
  return { ...compared, changes: world.changesIn(compared.files), world, exports };
}

test('tells what was added, changed and removed, by the exact id, with where each record is', async () => {
  const { changes, counts } = await changesOf(OLD, NEW);
  const byId = new Map(changes.map(({ id, ...change }) => [id, change]));

  expect(counts).toEqual({ before: 5, now: 5, added: 2, changed: 2, removed: 2, unchanged: 1 });
  expect([...byId.keys()].sort()).toEqual([
    '"2"',
    '1',
    '12345678901234567890',
    '12345678901234567891',
    '2',
    '2.0',
  ]);
  expect(byId.get('2')).toMatchObject({
    change: 'changed',
    members: ['n'],
    at: { key: `${FOLDER}part-00002-t.ndjson.gz`, line: 2 },
    record: '{"id":2,"name":"Zoë","n":1}',
  });
  expect(byId.get('"2"')).toMatchObject({ change: 'changed', members: ['more', 'name'] });
  expect(byId.get('2.0')).toMatchObject({ change: 'added', at: { line: 1 } });
  expect(byId.get('1')).toEqual({
    change: 'removed',
    before: expect.stringMatching(/^[0-9a-f]{16}$/),
    at: { key: expect.stringContaining('export=older/part-00001'), line: 1 },
    record: '{"id":1,"name":"Ada","tags":["a"]}',
  });
});

test.each<[string, Parts, Parts, object]>([
  ['nothing with nothing', [], [], { before: 0, now: 0 }],
  ['nothing with an empty part', [], [[]], { before: 0, now: 0 }],
  ['nothing with something', [], NEW, { added: 5, removed: 0 }],
  ['something with nothing', OLD, [], { added: 0, removed: 5 }],
  ['an export with itself', OLD, OLD, { unchanged: 5 }],
  ['records in another order and form', OLD, [[...OLD.flat()].reverse()], { unchanged: 5 }],
])('compares %s', async (_, before, now, counts) => {
  const compared = await changesOf(before, now);

  expect(compared.counts).toMatchObject(counts);
  expect(foundChanges(compared.changes)).toEqual(expectedChanges(before, now));
  expect(compared.files.length).toBe(compared.changes.length > 0 ? 1 : 0);
});

const PAIRS = COMPRESSIONS.flatMap((older) => COMPRESSIONS.map((newer) => [older, newer] as const));

test.each(PAIRS)(
  'finds the same when the earlier export is %s and the later one %s',
  async (older, newer) => {
    const world = new ComparisonWorld();
    world.compressions = { older, newer };
    const { changes, counts } = await changesOf(OLD, NEW, world);

    expect(counts).toEqual((await changesOf(OLD, NEW)).counts);
    expect(foundChanges(changes)).toEqual(expectedChanges(OLD, NEW));
    const partsOf = (kinds: readonly string[]) =>
      new Set(
        changes
          .filter(({ change }) => kinds.includes(change))
          .map(({ at }) => compressionOf(at.key)),
      );
    expect([partsOf(['removed']), partsOf(['added', 'changed'])]).toEqual([
      new Set([older]),
      new Set([newer]),
    ]);
  },
);

test('knows a record by its id however the API escapes it, and tells the id as it was received', async () => {
  const { changes, counts } = await changesOf(
    [['{"id":"a/b","n":1}', '{"id":"\\u00e9\\ud83d\\ude00\\"","n":1}', '{"id":"x\\/y","n":1}']],
    [['{"id":"x/y","n":1}', '{"id":"a\\/b","n":2}', '{"id":"é😀\\u0022","n":1}']],
  );

  expect(counts).toMatchObject({ added: 0, removed: 0, changed: 1, unchanged: 2 });
  expect(changes).toMatchObject([{ change: 'changed', id: '"a\\/b"', members: ['n'] }]);
});

test('goes on with the next invocation also where nearly all records differ in form alone', async () => {
  const ids = Array.from({ length: 1_000 }, (_, id) => id);
  const before = [ids.map((id) => `{"id":${id},"a":0}`)];
  const now = [ids.map((id) => `{"a":${id % 250 === 0 ? 1 : 0},"id":${id}}`)];
  const [short, long] = [new ComparisonWorld(), new ComparisonWorld()];
  short.sharesAtOnce = 0;
  const compared = await short.compare({ ...short.exportsOf(before, now), sizes });

  expect(compared).toMatchObject({ counts: { changed: 4, unchanged: 996 } });
  // All texts are 34 KB, and 600 bytes of them are compared at a time. Everything before that takes seven invocations.
  expect(short.invocations).toBeGreaterThan(40);
  expect(await long.compare({ ...long.exportsOf(before, now), sizes })).toEqual(compared);
  expect(long.invocations).toBe(1);
});

test('two at the same time write the same', async () => {
  const world = new ComparisonWorld();
  const exports = world.exportsOf(OLD, NEW);
  const [one, other] = await Promise.all([world.compare(exports), world.compare(exports)]);

  expect(one).toEqual(other);
  expect(one).toMatchObject({ counts: (await changesOf(OLD, NEW)).counts });
});

const idArbitrary = fc.oneof(
  fc.nat(30).map(String),
  fc.nat(30).map((id) => `${id}.0`),
  fc.nat(30).map((id) => `"${id}"`),
  fc.nat(9).map((id) => `1234567890123456789${id}`),
  fc.nat(9).map((id) => `"\\u003${id}"`),
);
const recordArbitrary = fc
  .tuple(
    fc.subarray(['a', 'b', 'c', '\\u0061b', 'd']),
    fc.array(
      fc.constantFrom('1', '1.0', '"é"', '"\\u00e9"', '{"x":1,"y":[]}', '{"y":[],"x":1}', 'null'),
      { minLength: 5, maxLength: 5 },
    ),
    fc.boolean(),
  )
  .map(([names, values, isFirst]) => (id: string) => {
    const members = names.map((name, index) => `"${name}":${values[index]}`);
    return `{${(isFirst ? [`"id":${id}`, ...members] : [...members, `"id":${id}`]).join(',')}}`;
  });
const listArbitrary = fc
  .uniqueArray(fc.tuple(idArbitrary, recordArbitrary), {
    selector: ([id]) => plainId(id),
    maxLength: 60,
  })
  .map((records) => records.map(([id, recordOf]) => recordOf(id)));
const partsArbitrary = fc
  .tuple(listArbitrary, fc.integer({ min: 1, max: 20 }))
  .map(
    ([records, size]): Parts =>
      Array.from({ length: Math.ceil(records.length / size) }, (_, part) =>
        records.slice(part * size, (part + 1) * size),
      ),
  );

const SEEDS = seedsOf({ short: 1, deep: 200 });
/** Each call fails once; here every seventh. */
const STEP = amountOf({ short: 7, deep: 1 });

/** So that a few records make several runs, blocks and files. */
const sizes = { runBytes: 200, blockBytes: 100, fileBytes: 300 };

/** Of all ids one of two hashes, in two shares. */
const collidingHash: HashRecord = (words, at, record, name) => {
  hashIdAndText(words, at, record, name);
  const isOdd = (words[at + 1] ?? 0) & 1;
  words[at] = 1;
  words[at + 1] = isOdd === 0 ? 0 : 0xffffffff;
};

test(`finds what the obvious way finds, whichever call fails and whatever hashes are equal, for ${SEEDS.length} seeds`, async () => {
  for (const seed of SEEDS) {
    const pair = fc.tuple(partsArbitrary, partsArbitrary);
    for (const [before, now] of fc.sample(pair, { seed, numRuns: 1 })) {
      for (const hashRecord of [hashIdAndText, collidingHash]) {
        await trySeed(seed, () => compareWithFailures(before, now, hashRecord, seed));
      }
    }
  }
}, 1_800_000);

test('finds the same changes beside an index whose records were hashed in another way', async () => {
  const world = new ComparisonWorld();
  const former = world.exportsOf(OLD, []);
  await world.compare({ ...former, folder: `${former.folder}former/`, hashRecord: otherHash });

  const { changes, counts } = await changesOf(OLD, NEW, world);
  expect(counts).toMatchObject({ added: 2, changed: 2, removed: 2, unchanged: 1 });
  expect(foundChanges(changes)).toEqual(expectedChanges(OLD, NEW));
});

const otherHash: HashRecord = (words, at, record, name) => {
  hashIdAndText(words, at, record, name);
  for (let word = at + 1; word < at + WORDS_A_RECORD; word++) words[word] = ~(words[word] ?? 0);
};

async function compareWithFailures(
  before: Parts,
  now: Parts,
  hashRecord: HashRecord,
  seed: number,
): Promise<void> {
  let whole: ComparedRecords | undefined;
  for (let call = -1, calls = 1; call < calls; call += STEP) {
    const world = new ComparisonWorld();
    world.compressions = seed % 2 === 0 ? { older: 'zstd' } : { newer: 'zstd' };
    if (call >= 0) world.failing = { call, after: (call + seed) % 2 === 0 };
    world.sharesAtOnce = (call + seed + 1) % 3;
    const compared = await world.compare({ ...world.exportsOf(before, now), hashRecord, sizes });
    if (compared.kind !== 'compared') throw new Error(compared.reason);
    if (whole === undefined) {
      const found = foundChanges(world.changesIn(compared.files));
      expect(found).toEqual(expectedChanges(before, now));
    }
    whole ??= compared;
    expect(compared).toEqual(whole);
    calls = world.calls;
    tried('comparisons of two exports, with a failing call', 1);
  }
}
