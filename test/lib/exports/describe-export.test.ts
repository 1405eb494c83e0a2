import { expect, test } from '@jest/globals';
import { COMPRESSIONS, type Compression, endingOf } from '../../../lib/exports/compression.ts';
import { type CompletedExport, describeExport } from '../../../lib/exports/describe-export.ts';
import { RecordsIndex } from '../../../lib/exports/records-index.ts';
import { latestKey, recordsIndexKey, storeJson } from '../../../lib/exports/store-objects.ts';
import { schemaOf } from '../../faults/check-event.ts';
import { packed } from '../../unpacked.ts';
import { DescriptionWorld } from './description-world.ts';

const FOLDER = 'exports/connection=acme/list=customers/';
const TABLES = 'tables/connection=acme/list=customers/';
const OLD = { exportId: 'first', day: 1, parts: [['{"id":1,"fax":"1"}'], ['{"id":2,"fax":"2"}']] };
const NEW = {
  exportId: 'second',
  day: 2,
  parts: [['{"id":1}'], ['{"id":"2"}', '{"id":3,"x":[]}']],
};

const reportOf = (world: DescriptionWorld, exportId: string) =>
  JSON.parse(world.textOf(`${FOLDER}export=${exportId}/schema.json`) ?? 'null');

test('writes the report beside the manifest, and what changed since the last export', async () => {
  const world = new DescriptionWorld();
  expect(await world.describe(world.complete(OLD))).toMatchObject({ kind: 'described' });
  expect(reportOf(world, 'first')).toMatchObject({ records: 2, changes: [] });
  expect(reportOf(world, 'first')).not.toHaveProperty('since');
  expect(world.published).toEqual([]);

  await world.describe(world.complete(NEW));
  const changes = [
    {
      path: '$.id',
      change: 'changed',
      before: { types: ['integer'], always: true },
      after: { types: ['integer', 'text'], always: true },
    },
    { path: '$.x', change: 'new', after: { types: ['array'], always: false } },
    { path: '$.fax', change: 'gone', before: { types: ['text'], always: true } },
  ];
  expect(reportOf(world, 'second')).toMatchObject({
    version: 1,
    connection: 'acme',
    list: 'customers',
    exportId: 'second',
    since: { exportId: 'first', schemaKey: `${FOLDER}export=first/schema.json` },
    changes,
    records: 3,
  });
  const [event] = world.published;
  const isValid = schemaOf('schema-changed');
  isValid({ v: 1, integration: 'Team', ...event });
  expect(isValid.errors ?? []).toEqual([]);
  expect(world.published).toEqual([
    {
      id: 'acme/second/schema-changed',
      kind: 'schema-changed',
      atMs: Date.parse('2026-01-02T00:00:00Z'),
      connection: 'acme',
      list: 'customers',
      exportId: 'second',
      sinceExportId: 'first',
      schemaKey: `${FOLDER}export=second/schema.json`,
      changes,
      changesLeftOut: 0,
    },
  ]);
});

test('says nothing where nothing changed', async () => {
  const world = new DescriptionWorld();
  await world.describe(world.complete(OLD));
  await world.describe(world.complete({ ...OLD, exportId: 'second', day: 2 }));

  expect(reportOf(world, 'second').since.exportId).toBe('first');
  expect(world.published).toEqual([]);
});

test('comes to the same end whichever call fails, in one go and in steps', async () => {
  const whole = await describedWith(new DescriptionWorld());
  for (const partsAtOnce of [1, Number.POSITIVE_INFINITY]) {
    for (const after of [false, true]) {
      for (let call = 0, calls = 1; call < calls; call++) {
        const world = new DescriptionWorld();
        world.partsAtOnce = partsAtOnce;
        expect(await describedWith(world, { call, after })).toEqual(whole);
        calls = world.calls;
      }
    }
  }
});

test('stores an index of the records of each part that it reads, and reads none twice for it', async () => {
  const world = new DescriptionWorld();
  world.idKey = 'id';
  world.partsAtOnce = 1;
  await world.describe(world.complete(NEW));

  NEW.parts.forEach((records, position) => {
    const index = new RecordsIndex('id');
    for (const text of records) index.add(Buffer.from(`${text}\n`), 0, Buffer.byteLength(text));
    const stored = world.memory.objects.get(
      recordsIndexKey(`${FOLDER}export=second/`, position + 1),
    );
    expect(Buffer.from(stored ?? []).toString('hex')).toBe(
      Buffer.from(index.finish()?.body ?? []).toString('hex'),
    );
  });
});

test('stores no index of a part with a record without an id', async () => {
  const world = new DescriptionWorld();
  world.idKey = 'uuid';
  await world.describe(world.complete(NEW));

  expect([...world.memory.objects.keys()].filter((key) => key.endsWith('.index'))).toEqual([]);
});

test('says once what changed while the same event comes again', async () => {
  const world = new DescriptionWorld();
  await world.describe(world.complete(OLD));
  const told = world.complete(NEW);
  const first = await world.describe(told);

  expect(await world.describe(told)).toEqual(first);
  expect(world.published.length).toBe(1);
});

test('goes on with the parts that are left when time is up', async () => {
  const world = new DescriptionWorld();
  const told = world.complete(NEW);
  world.partsAtOnce = 1;

  expect(await describeExport(world.ports(), told)).toEqual({
    kind: 'unfinished',
    partsRead: 1,
    parts: 2,
  });
  world.memory.objects.delete(`${FOLDER}export=second/part-00001-t.ndjson.gz`);
  expect(await describeExport(world.ports(), told)).toMatchObject({ kind: 'described' });
  expect(reportOf(world, 'second').records).toBe(3);
});

test('two at the same time write one report and one event', async () => {
  const world = new DescriptionWorld();
  await world.describe(world.complete(OLD));
  const told = world.complete(NEW);
  const both = await Promise.all([world.describe(told), world.describe(told)]);

  expect(both[0]).toEqual(both[1]);
  expect(new Set(world.published.map((event) => JSON.stringify(event))).size).toBe(1);
});

test('gives way to another worker that was first and had more to compare with', async () => {
  const world = new DescriptionWorld();
  const [older, newer] = [world.complete(OLD), world.complete(NEW)];
  const ports = world.ports();
  let isFirst = true;
  const late = await describeExport(
    {
      ...ports,
      store: {
        ...ports.store,
        replace: async (...args) => {
          if (isFirst && args[0].endsWith('/schema.json')) {
            isFirst = false;
            await world.describe(older);
            await world.describe(newer);
          }
          return ports.store.replace(...args);
        },
      },
    },
    newer,
  );

  expect(reportOf(world, 'second').since.exportId).toBe('first');
  expect(late).toMatchObject({ schema: reportOf(world, 'second') });
  expect(new Set(world.published.map((event) => JSON.stringify(event))).size).toBe(1);
});

test('compares with the last export before, in whatever order the reports are made', async () => {
  const world = new DescriptionWorld();
  const third = { ...OLD, exportId: 'third', day: 3 };
  const told = [OLD, NEW, third].map((each) => world.complete(each));
  await world.describe(told[0] ?? fail());
  await world.describe(told[2] ?? fail());
  await world.describe(told[1] ?? fail());

  expect(reportOf(world, 'third').since.exportId).toBe('first');
  expect(reportOf(world, 'second').since.exportId).toBe('first');
  expect(JSON.parse(world.textOf(`${FOLDER}latest-schema.json`) ?? '').exportId).toBe('third');
});

test('compares with the last export that had records, and with none of another organization', async () => {
  const world = new DescriptionWorld();
  await world.describe(world.complete(OLD));
  await world.describe(world.complete({ exportId: 'empty', day: 2, parts: [] }));
  await world.describe(world.complete({ ...NEW, day: 3 }));
  expect(reportOf(world, 'empty')).toMatchObject({
    records: 0,
    changes: [],
    record: { types: {} },
  });
  expect(reportOf(world, 'second').since.exportId).toBe('first');

  await world.describe(world.complete({ ...OLD, exportId: 'x', day: 4, organizationId: 'other' }));
  expect(reportOf(world, 'x')).toMatchObject({ changes: [] });
  expect(reportOf(world, 'x')).not.toHaveProperty('since');
  expect(world.published.map(({ exportId }) => exportId)).toEqual(['second']);
});

test('points the tables at the parts before it reads any, and only forwards', async () => {
  const world = new DescriptionWorld();
  const first = world.complete(OLD);
  world.memory.objects.delete(`${FOLDER}export=first/part-00001-t.ndjson.gz`);
  await expect(describeExport(world.ports(), first)).rejects.toThrow();
  const pointers = (id: string) =>
    [1, 2].map((n) => `s3://bucket/${FOLDER}export=${id}/part-0000${n}-t.ndjson.gz\n`).join('');
  expect(world.textOf(`${TABLES}export=first/parts.txt`)).toBe(pointers('first'));
  expect(world.textOf(`${TABLES}export=latest/parts.txt`)).toBe(pointers('first'));

  world.complete(OLD);
  await world.describe(world.complete(NEW));
  await world.describe(first);
  expect(world.textOf(`${TABLES}export=latest/parts.txt`)).toBe(pointers('second'));
});

test('does not move the tables back while a newer export moves them', async () => {
  const world = new DescriptionWorld();
  const [older, newer] = [world.complete(OLD), world.complete(NEW)];
  // The older one looks just before the newer one completes.
  const latestOf = (exportId: string) =>
    storeJson({ exportId, startedAt: '2026-01-01T00:00:00.000Z' }).body;
  world.memory.objects.set(latestKey('acme', 'customers'), latestOf('first'));
  const late = world.describe(older);
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
  world.memory.objects.set(latestKey('acme', 'customers'), latestOf('second'));
  await Promise.all([late, world.describe(newer)]);

  expect(world.textOf(`${TABLES}export=latest/parts.txt`)).toContain('export=second/');
});

type Damage = readonly [what: string, compression: Compression, body: Uint8Array, reason: string];

const DAMAGES = COMPRESSIONS.flatMap((compression): readonly Damage[] => {
  const pack = (text: string) => packed(compression, text);
  const broken = `it is no whole ${compression} file`;
  return [
    ['of other bytes', compression, pack('{"id":"2"}\n{"id":3,"x":{}}\n'), 'SHA-256'],
    ['that was cut', compression, pack('{"id":"2"}\n').subarray(0, -10), broken],
    ['that is not compressed', compression, Buffer.from('{"id":"2"}\n'), broken],
    ['with a line that is no record', compression, pack('{"id":"2"\n{}\n'), 'record 2 is not one'],
    ['without an end', compression, pack('{"id":"2"}\n{}'), 'SHA-256'],
  ];
});

test.each(DAMAGES)(
  'describes no export with a part %s (%s), and says why',
  async (_, compression, body, reason) => {
    const world = new DescriptionWorld();
    const told = world.complete({ ...NEW, compression });
    const part = `${FOLDER}export=second/part-00002-t${endingOf(compression)}`;
    world.memory.objects.set(part, body);

    const described = await describeExport(world.ports(), told);
    expect(described).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
    expect(described).toMatchObject({ reason: expect.stringContaining(part) });
    expect(reportOf(world, 'second')).toBe(null);
  },
);

test('describes no export with a part that has other records than its manifest says', async () => {
  const world = new DescriptionWorld();
  const told = world.complete(NEW);
  const manifest = JSON.parse(world.textOf(told.manifestKey) ?? '');
  manifest.parts[1].customers = 3;
  world.memory.objects.set(told.manifestKey, storeJson(manifest).body);

  expect(await describeExport(world.ports(), told)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('it has 2 records instead of 3'),
  });
});

test('writes over nothing that stands where the report belongs', async () => {
  const world = new DescriptionWorld();
  const told = world.complete(NEW);
  const schemaKey = `${FOLDER}export=second/schema.json`;
  world.memory.objects.set(schemaKey, Buffer.from('{"note":"mine"}'));

  expect(await describeExport(world.ports(), told)).toEqual({
    kind: 'refused',
    reason: `${schemaKey} is there, but is no report. Delete it.`,
  });
  expect(world.textOf(schemaKey)).toBe('{"note":"mine"}');
});

test.each<[string, (told: CompletedExport) => CompletedExport, string]>([
  [
    'is not there',
    (told) => ({ ...told, manifestKey: `${FOLDER}export=none/manifest.json` }),
    'is not there',
  ],
  [
    'is of another export',
    (told) => ({ ...told, exportId: 'third' }),
    'is not the one that was written',
  ],
])('describes no export whose manifest %s', async (_, changed, reason) => {
  const world = new DescriptionWorld();
  const told = changed(world.complete(NEW));
  expect(await describeExport(world.ports(), told)).toEqual({
    kind: 'refused',
    reason: `The manifest ${told.manifestKey} ${reason}.`,
  });
});

test('keeps an event below the size that EventBridge takes', async () => {
  const world = new DescriptionWorld();
  const wide = (prefix: string) =>
    `{${Array.from({ length: 500 }, (_, n) => `"${prefix}${n}${'\u0001'.repeat(30).replaceAll('\u0001', '\\u0001')}":1`).join(',')}}`;
  const nested = (prefix: string) =>
    `{${Array.from({ length: 8 }, (_, n) => `"m${n}":${wide(`${prefix}-${n}-`)}`).join(',')}}`;
  await world.describe(world.complete({ exportId: 'first', day: 1, parts: [[nested('a')]] }));
  await world.describe(world.complete({ exportId: 'second', day: 2, parts: [[nested('b')]] }));
  const [event] = world.published;
  const schema = reportOf(world, 'second');

  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(110 * 1024);
  expect(schema.changes.length).toBe(1_000);
  expect(schema.changes.length + schema.changesLeftOut).toBe(8_000);
  expect((event?.changes.length ?? 0) + (event?.changesLeftOut ?? 0)).toBe(8_000);
});

/** What is left in the bucket and on the bus, events that came again left out. */
async function describedWith(world: DescriptionWorld, failing?: DescriptionWorld['failing']) {
  await world.describe(world.complete(OLD));
  const told = world.complete(NEW);
  world.calls = 0;
  world.failing = failing;
  await world.describe(told);
  const objects = [...world.memory.objects].map(([key, body]) => [
    key,
    Buffer.from(body).toString('base64'),
  ]);
  return [objects.sort(), [...new Set(world.published.map((event) => JSON.stringify(event)))]];
}

function fail(): never {
  throw new Error('No such export.');
}
