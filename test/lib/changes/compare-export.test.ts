import { expect, test } from '@jest/globals';
import { changeSettingsOf } from '../../../lib/changes/change-settings.ts';
import { parseChangesSummary } from '../../../lib/changes/changes-summary.ts';
import type { StoredManifest } from '../../../lib/exports/stored-manifest.ts';
import { ComparisonWorld, type Parts } from './comparison-world.ts';

const FOLDER = 'exports/connection=acme/list=customers/';
const OLD: Parts = [['{"id":1,"no":1,"a":1}', '{"id":2,"no":2}'], ['{"id":3,"no":3}']];
const NEW: Parts = [['{"id":1,"no":1,"a":2}'], ['{"id":3,"no":3}', '{"id":4,"no":4}']];

/** A world in which the export `a` was compared, and `bb` is stored. */
async function worldOf(before: Parts, now: Parts, about: Partial<StoredManifest> = {}) {
  const world = new ComparisonWorld();
  world.complete('a', before);
  await world.compareStored('a');
  world.complete('bb', now, about);
  return world;
}

const LONG = `{"id":2,"text":"${'x'.repeat(16 * 1024 * 1024)}"}`;

const summaryIn = (world: ComparisonWorld, exportId: string) =>
  parseChangesSummary(
    world.memory.read(world.ledger.readChange('acme', exportId)?.summary.key ?? '')?.text,
  );

test('compares each export with the last one that was accepted, and sums up what it found', async () => {
  const world = await worldOf(OLD, NEW);
  expect(summaryIn(world, 'a')).toMatchObject({ state: 'first', counts: { now: 3, added: 0 } });
  expect(await world.compareStored('bb')).toMatchObject({ status: 'found' });
  const { comparedAtMs = 0, deleteAfterMs } = world.ledger.readChange('acme', 'bb') ?? {};
  expect(deleteAfterMs).toBe(comparedAtMs + 90 * 24 * 3600 * 1000);

  expect(summaryIn(world, 'bb')).toMatchObject({
    exportId: 'bb',
    organizationId: 'one',
    idKey: 'id',
    since: { exportId: 'a', manifestKey: `${FOLDER}export=a/manifest.json` },
    state: 'found',
    counts: { before: 3, now: 3, added: 1, changed: 1, removed: 1, unchanged: 1 },
    files: [{ key: expect.stringMatching(/\/export=bb\/changes-00001-[0-9a-f]{16}\.ndjson\.gz$/) }],
  });
  world.complete('ccc', NEW);
  expect(await world.compareStored('ccc')).toMatchObject({ since: { exportId: 'bb' } });
  expect(summaryIn(world, 'ccc')).toMatchObject({ counts: { unchanged: 3 }, files: [] });
});

test('comes to the same end whichever call of store and ledger fails, and leaves nothing else', async () => {
  const whole = await worldOf(OLD, NEW);
  await whole.compareStored('bb');
  for (let call = 0, calls = 1; call < calls; call++) {
    const world = await worldOf(OLD, NEW);
    world.calls = 0;
    world.failing = { call, after: call % 2 === 0 };
    world.sharesAtOnce = call % 3;
    const state = await world.compareStored('bb');
    expect(state).toMatchObject({ status: 'found', counts: { added: 1, changed: 1, removed: 1 } });
    expect(world.written()).toEqual(whole.written());
    expect(new Set(world.published.map(({ id }) => id))).toEqual(
      new Set(whole.published.map(({ id }) => id)),
    );
    calls = world.calls;
  }
  expect(whole.written().length).toBe(3);
});

test.each([
  ['had no more time', 0, undefined],
  ['failed', Number.POSITIVE_INFINITY, { call: 8, after: false }],
])(
  'goes on with the next invocation at once when the one before %s',
  async (_, shares, failing) => {
    const world = await worldOf(OLD, NEW);
    world.sharesAtOnce = shares;
    world.calls = 0;
    world.failing = failing;
    world.invocations = 0;
    await world.compareStored('bb');

    expect(world.invocations).toBeGreaterThan(1);
    expect(world.waits).toBe(0);
  },
);

test('a worker that goes on when its lease is long over replaces nothing that was accepted', async () => {
  const world = new ComparisonWorld();
  world.complete('a', OLD);
  await world.compareStored('a');
  world.complete('bb', [['{"id":1,"no":1,"a":1}'], ['{"id":2,"no":2,"b":1}', '{"id":3,"no":3}']]);
  world.complete('ccc', NEW);
  const stands = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  world.beforePut = async (key) => {
    if (!key.includes('/changes-0')) return;
    world.beforePut = async () => undefined;
    stands.resolve();
    await goesOn.promise;
  };
  // It compares with `a`. When it has been away for an hour, `bb` becomes the base.
  const late = world.compareStored('ccc');
  await stands.promise;
  expect(await world.compareStored('bb')).toMatchObject({ status: 'found' });
  const accepted = await world.compareStored('ccc');
  expect(accepted).toMatchObject({ status: 'found', since: { exportId: 'bb' } });
  const summary = summaryIn(world, 'ccc');
  const changes = world.changesIn(summary?.files ?? []);

  goesOn.resolve();
  expect(await late).toEqual(accepted);
  expect(summaryIn(world, 'ccc')).toEqual(summary);
  expect(world.changesIn(summary?.files ?? [])).toEqual(changes);
});

const TWICE: Parts = [['{"id":1}', '{"id":2}'], ['{"id":1}']];
const withoutOne = (key: string) => (world: ComparisonWorld) => {
  world.memory.objects.delete(key);
};

test.each<[string, Partial<StoredManifest>, (world: ComparisonWorld) => void, string]>([
  ['of another organization', { organizationId: 'two' }, () => undefined, 'another organization'],
  ['of another resource', { resource: 'clients' }, () => undefined, 'another resource'],
  ['with another query', { query: { active: 'true' } }, () => undefined, 'another query'],
  ['with another idKey', { ids: { keys: ['no'], missing: 0 } }, () => undefined, 'another idKey'],
  [
    'whose manifest is gone',
    {},
    withoutOne(`${FOLDER}export=a/manifest.json`),
    'manifest has been deleted',
  ],
  [
    'a part of which is gone',
    {},
    withoutOne(`${FOLDER}export=a/part-00002-t.ndjson.gz`),
    'has been deleted',
  ],
  [
    'a part of which is damaged',
    {},
    (world) =>
      world.memory.objects.set(`${FOLDER}export=a/part-00001-t.ndjson.gz`, Buffer.from('{}')),
    'is not as its manifest says',
  ],
])('begins anew after an export %s, and says so', async (_, about, change, reason) => {
  const world = await worldOf(OLD, NEW, about);
  change(world);

  expect(await world.compareStored('bb')).toMatchObject({ status: 'first' });
  expect(summaryIn(world, 'bb')).toMatchObject({
    state: 'first',
    reason: expect.stringContaining(reason),
    files: [],
  });
  expect(summaryIn(world, 'bb')?.reason).toContain('It is not compared with export a.');
  world.complete('ccc', NEW, about);
  expect(await world.compareStored('ccc')).toMatchObject({ since: { exportId: 'bb' } });
});

test('an export that was overtaken leaves nothing of its comparison', async () => {
  const world = await worldOf(OLD, NEW);
  const work = `${FOLDER}export=bb/changes-unfinished/since=a/progress.json`;
  world.memory.objects.set(work, Buffer.from('{}'));
  world.complete('ccc', NEW);
  expect(await world.compareStored('ccc')).toMatchObject({ status: 'found' });

  expect(await world.compareStored('bb')).toBe('overtaken');
  expect([...world.memory.objects.keys()]).not.toContain(work);
});

test('begins anew after an export in which an id came twice', async () => {
  const world = await worldOf(TWICE, NEW);

  expect(await world.compareStored('bb')).toMatchObject({
    status: 'first',
    reason: expect.stringContaining(
      'the same id: line 1 of part-00001-t.ndjson.gz and line 1 of part-00002-t.ndjson.gz',
    ),
  });
});

test.each<[string, Parts, Partial<StoredManifest>, string]>([
  ['without ids', NEW, { ids: { keys: [], missing: 0 } }, 'Its records have no ids'],
  ['with a record without an id', NEW, { ids: { keys: ['id'], missing: 1 } }, '1 of its records'],
  [
    'of which the manifest does not know that',
    [['{"id":1}', '{"Id":2}']],
    {},
    'without an id (id)',
  ],
  [
    'in which an id came twice',
    TWICE,
    {},
    'the same id: line 1 of part-00001-t.ndjson.gz and line 1 of part-00002-t.ndjson.gz',
  ],
  ['with what is no object', [['{"id":1}', '[1]', 'null']], {}, 'without an id'],
  ['with a record that is too long', [['{"id":1}', LONG]], {}, 'a record of more than 16 MiB'],
])(
  'compares no export %s, and compares the next one with the last one',
  async (_, now, about, reason) => {
    const world = await worldOf(OLD, now, about);

    expect(await world.compareStored('bb')).toMatchObject({ status: 'refused' });
    expect(summaryIn(world, 'bb')).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining(reason),
      files: [],
    });
    world.complete('ccc', NEW);
    expect(await world.compareStored('ccc')).toMatchObject({ since: { exportId: 'a' } });
  },
);

test('compares an empty list with any other, since it has no record without an id', async () => {
  const empty = { ids: { keys: [], missing: 0 } };
  const world = new ComparisonWorld();
  const compare = (exportId: string, parts: Parts, about: Partial<StoredManifest> = {}) => {
    world.complete(exportId, parts, about);
    return world.compareStored(exportId);
  };

  expect(await compare('a', [], empty)).toMatchObject({ status: 'first' });
  expect(await compare('bb', [], empty)).toMatchObject({ status: 'found', counts: { now: 0 } });
  const all = { before: 0, now: 3, added: 3 };
  expect(await compare('ccc', OLD)).toMatchObject({ since: { exportId: 'bb' }, counts: all });
  expect(summaryIn(world, 'ccc')).toMatchObject({ idKey: 'id' });
  const none = { before: 3, now: 0, removed: 3 };
  expect(await compare('dddd', [], { ids: { keys: ['no'], missing: 0 } })).toMatchObject({
    since: { exportId: 'ccc' },
    counts: none,
  });
  expect(summaryIn(world, 'dddd')).toMatchObject({ idKey: 'id' });
  const changes = world.changesIn(summaryIn(world, 'dddd')?.files ?? []);
  expect(changes.map(({ change, id }) => `${change} ${id}`).sort()).toEqual([
    'removed 1',
    'removed 2',
    'removed 3',
  ]);
});

test.each(['drifted', 'unproven'])('says nothing about an export that is %s', async (verdict) => {
  const world = await worldOf(OLD, NEW, { completeness: { verdict } });
  const before = world.written();

  expect(await world.compareStored('bb')).toBe('unproven');
  expect(world.written()).toEqual(before);
  world.complete('ccc', NEW);
  expect(await world.compareStored('ccc')).toMatchObject({ since: { exportId: 'a' } });
});

const listOf = (count: number): Parts => [Array.from({ length: count }, (_, n) => `{"id":${n}}`)];

test.each([
  [100, 90, 10, 'found'],
  [100, 89, 10, 'held'],
  [100, 89, 11, 'found'],
  [100, 0, 100, 'found'],
  [9, 0, 10, 'found'],
])('of %i records %i are left, with a limit of %i %%: %s', async (before, now, limit, state) => {
  const world = await worldOf(listOf(before), listOf(now));
  world.settings = changeSettingsOf({ maxRemovedPercent: limit });

  expect(await world.compareStored('bb')).toMatchObject({ status: state });
  expect(summaryIn(world, 'bb')).toMatchObject({
    state,
    removedPercent: 100 - (now * 100) / before,
    maxRemovedPercent: limit,
  });
  world.complete('ccc', listOf(now));
  const next = await world.compareStored('ccc');
  expect(next).toMatchObject({ since: { exportId: state === 'held' ? 'a' : 'bb' } });
});
