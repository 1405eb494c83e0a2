import { expect, test } from '@jest/globals';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { decideChanges } from '../../../lib/changes/decide-changes.ts';
import type { ChangePointer, PublishPorts } from '../../../lib/changes/ports.ts';
import { publishStep } from '../../../lib/changes/publish-step.ts';
import type { RecordEntry } from '../../../lib/changes/record-event.ts';
import { storeJson } from '../../../lib/exports/store-objects.ts';
import { MemoryChangeLedger } from '../../faults/changes/memory-change-ledger.ts';
import { changeStateOf } from './change-state-of.ts';
import { changeOf, storedChanges } from './stored-changes.ts';

const NOW_MS = Date.UTC(2026, 0, 3);
const TOLD = [changeOf('added', 0), changeOf('changed', 1)];
const LEFT = [changeOf('removed', 2)];
const STORED = storedChanges([[TOLD], [LEFT]]);

/** Changes in two files on their way to be told, and what a step makes of them. */
function tellingWorld(own: Partial<ChangeState> = {}, { files, bodies } = STORED) {
  const counts = { before: 2, now: 2, added: 1, changed: 1, removed: 1, unchanged: 0 };
  const time = new Date(NOW_MS).toISOString();
  const summary = storeJson({
    ...{ version: 1, connection: 'acme', list: 'customers', exportId: 'now', idKey: 'id' },
    ...{ startedAt: time, endedAt: time, state: 'found', counts, files },
    ...{ removedPercent: 50, maxRemovedPercent: 100 },
  });
  const objects = new Map<string, Uint8Array>([...bodies, ['summary', summary.body]]);
  const ledger = new MemoryChangeLedger();
  const stored = { key: 'summary', sha256: summary.about.sha256 };
  const started = changeStateOf({ status: 'publishing', closed: true, summary: stored, ...own });
  ledger.writeChange(started, undefined);
  const told: RecordEntry[] = [];
  const sent: (ChangePointer & { readonly dueAtMs: number | undefined })[] = [];
  let tokens = 0;
  const takes = (_entry: RecordEntry) => true;
  const world = { objects, told, sent, takes, nowMs: NOW_MS };
  const ports: PublishPorts = {
    clock: { now: () => world.nowMs, sleep: async () => undefined },
    random: { token: () => `token-${++tokens}`, fraction: () => 0.5 },
    ledger: asynchronous(ledger),
    queue: { send: async (pointer, dueAtMs) => void sent.push({ ...pointer, dueAtMs }) },
    events: { publish: async () => undefined },
    integration: 'Integration',
    bucket: 'bucket',
    store: { readWhole: async (key) => objects.get(key) },
    bus: {
      put: async (entries) => {
        told.push(...entries.filter(world.takes));
        return entries.filter((entry) => !world.takes(entry));
      },
    },
  };
  const step = (number: number) =>
    publishStep(
      ports,
      { v: 1, connection: 'acme', exportId: 'now', step: number },
      { remainingMs: () => 60_000 },
    );
  return { ...world, world, ports, step, state: () => ledger.readChange('acme', 'now') };
}

test('a file that is damaged stops the telling after what came before it, and nothing of that is told again', async () => {
  const { objects, told, step, state } = tellingWorld();
  const [first, second] = STORED.files.map(({ key }) => key);
  objects.set(second ?? '', Buffer.from('damaged'));

  expect(await step(0)).toMatchObject({ result: 'stopped', told: 2 });
  expect(told).toHaveLength(2);
  expect(state()).toMatchObject({ status: 'stopped', next: 2, step: 1 });
  expect(state()?.reason).toContain(second);
  expect(state()?.reason).not.toContain(first);
});

test.each([
  [18, 1],
  [19, 0],
])(
  'after %i steps without an event another one sends %i wake-ups: after 20 the sweep alone wakes it',
  async (stepsWithoutEvent, wakeUps) => {
    const { world, sent, step, state } = tellingWorld({ stepsWithoutEvent, step: 40 });
    world.takes = () => false;

    expect(await step(40)).toMatchObject({ result: 'goes-on', told: 0 });
    expect(sent).toHaveLength(wakeUps);
    expect(state()).toMatchObject({ status: 'publishing', step: 41, wakeUpSent: true });
  },
);

/** Ids of the records, in the order in which they were told. */
const idsOf = (told: readonly RecordEntry[]) =>
  told.map(({ detail }) => JSON.parse(detail).recordIdJson);

test('a block that was told in part is gone on with in the next step, where no change is passed over', async () => {
  const blocks = [25, 3, 12].map((count, block) =>
    Array.from({ length: count }, (_, at) => changeOf('added', 100 * block + at)),
  );
  const [first = [], second = [], third = []] = blocks;
  const { world, told, step, state } = tellingWorld({}, storedChanges([[first, second], [third]]));
  const refused = JSON.stringify(first[12]?.id);
  world.takes = ({ detail }) => !detail.includes(`"recordIdJson":${refused}`);

  expect(await step(0)).toMatchObject({ result: 'goes-on', told: 10 });
  // Those before the batch with the one that was not taken count, and nothing of the next block was sent.
  expect(state()).toMatchObject({ next: 10, step: 1, status: 'publishing' });
  expect(idsOf(told)).toEqual(expect.arrayContaining(first.slice(0, 10).map(({ id }) => id)));
  expect(idsOf(told).filter((id) => second.some((change) => change.id === id))).toEqual([]);

  const later = JSON.stringify(first[22]?.id);
  world.takes = ({ detail }) => !detail.includes(`"recordIdJson":${later}`);
  expect(await step(1)).toMatchObject({ result: 'goes-on', told: 10 });
  expect(state()).toMatchObject({ next: 20, step: 2, status: 'publishing' });

  world.takes = () => true;
  const before = told.length;
  expect(await step(2)).toMatchObject({ result: 'published', told: 20 });
  const ids = blocks.flat().map(({ id }) => id);
  expect(idsOf(told.slice(before))).toEqual(ids.slice(20));
});

test('a step whose time is over leaves the rest to the next one', async () => {
  const { world, told, step, state } = tellingWorld();
  world.takes = () => {
    world.nowMs += 25_000;
    return true;
  };

  expect(await step(0)).toMatchObject({ result: 'goes-on', told: 2 });
  expect(state()).toMatchObject({ status: 'publishing', next: 2, step: 1 });
  expect(await step(1)).toMatchObject({ result: 'published', told: 1 });
  expect(idsOf(told)).toEqual([...TOLD, ...LEFT].map(({ id }) => id));
});

test('a step whose wait is not over tells nothing, and sends its wake-up again for the end of it', async () => {
  const { told, sent, step, state } = tellingWorld({ step: 2, notBeforeMs: NOW_MS + 90_500 });

  expect(await step(2)).toMatchObject({ result: 'early', told: 0 });
  expect(sent).toMatchObject([{ step: 2, dueAtMs: NOW_MS + 90_500 }]);
  expect(told).toEqual([]);
  expect(state()?.lease).toBeUndefined();
});

test('what a person released after it was stopped goes on in a step of its own', async () => {
  const { ports, objects, told, sent, step, state } = tellingWorld();
  const [, second = ''] = STORED.files.map(({ key }) => key);
  const whole = objects.get(second);
  objects.set(second, Buffer.from('damaged'));
  await step(0);
  if (whole !== undefined) objects.set(second, whole);
  const name = { connection: 'acme', exportId: 'now' };

  const decided = await decideChanges(ports, { ...name, decision: 'release', by: 'ada' });

  // The first of them were told before it was stopped.
  expect(decided).toMatchObject({
    ...{ kind: 'decided', isFirst: false },
    state: { status: 'publishing', step: 2 },
  });
  expect(sent.map(({ step: of }) => of)).toEqual([2]);
  expect(sent[0]?.dueAtMs).toBeLessThanOrEqual(NOW_MS);
  expect(await step(2)).toMatchObject({ result: 'published', told: 1 });
  expect(idsOf(told)).toEqual([...TOLD, ...LEFT].map(({ id }) => id));
  expect(state()).toMatchObject({ status: 'published', next: 3 });
});

test.each([
  ['the next wake-up', 'goes-on', 2, 'past'],
  ['the closing of the end', 'published', 3, 'closed'],
] as const)(
  'what a step has told is counted once, though %s fails',
  async (_, result, count, later) => {
    const { world, ports, told } = tellingWorld();
    const last = JSON.stringify(LEFT[0]?.id);
    world.takes = ({ detail }) => later === 'closed' || !detail.includes(last);
    const away = async () => Promise.reject(new Error('It is away.'));
    const { ledger } = ports;
    const writeChange: typeof ledger.writeChange = (next, token) =>
      next.status === 'published' && next.closed ? away() : ledger.writeChange(next, token);
    const failing = { ...ports, ledger: { ...ledger, writeChange }, queue: { send: away } };
    const pointer = { v: 1, connection: 'acme', exportId: 'now', step: 0 } as const;
    const invocation = { remainingMs: () => 60_000 };

    const error = { message: 'It is away.' };
    const report = await publishStep(failing, pointer, invocation);
    expect(report).toMatchObject({ answer: 'retry', result, told: count, error });
    expect(told).toHaveLength(count);
    const again = await publishStep(ports, pointer, invocation);
    expect(again).toMatchObject({ answer: 'acknowledge', result: later, told: 0 });
  },
);

test('a step that breaks off hands on to the next one within seconds, after what it told', async () => {
  const { world, ports, told, sent, step, state } = tellingWorld();
  const [, second] = STORED.files.map(({ key }) => key);
  const { readWhole } = ports.store;
  ports.store.readWhole = async (key) => {
    if (key === second) throw new Error('S3 is away.');
    return readWhole(key);
  };
  await expect(step(0)).rejects.toThrow('S3 is away.');
  expect(state()).toMatchObject({ status: 'publishing', step: 1, next: 2, wakeUpSent: true });
  expect(state()).not.toHaveProperty('lease');

  await expect(step(1)).rejects.toThrow('S3 is away.');
  expect(state()).toMatchObject({ step: 2, next: 2, stepsWithoutEvent: 1 });
  const dueInMs = sent.map(({ dueAtMs = 0 }) => dueAtMs - NOW_MS);
  expect(dueInMs).toEqual([0, 3_750]);

  ports.store.readWhole = readWhole;
  world.nowMs += 4_000;
  expect(await step(2)).toMatchObject({ result: 'published', told: 1 });
  expect(idsOf(told)).toEqual([...TOLD, ...LEFT].map(({ id }) => id));
});

test('a step whose wake-up for the next one is not taken at once sends it again', async () => {
  const { ports, world, sent, step, state } = tellingWorld();
  const last = JSON.stringify(LEFT[0]?.id);
  world.takes = ({ detail }) => !detail.includes(last);
  const { send } = ports.queue;
  let tries = 0;
  ports.queue.send = async (...args) => {
    if (++tries === 1) throw new Error('SQS is away.');
    return send(...args);
  };
  expect(await step(0)).toMatchObject({ answer: 'retry', result: 'goes-on', told: 2 });
  expect(sent).toHaveLength(1);
  expect(state()).toMatchObject({ step: 1, wakeUpSent: true });
});

test('a step that broke off after another worker had taken it over changes nothing', async () => {
  const { ports, sent, step, state } = tellingWorld();
  const other = { owner: 'other', untilMs: NOW_MS + 90_000 };
  ports.store.readWhole = async () => {
    const current = state();
    if (current === undefined) throw new Error('expected the changes');
    await ports.ledger.writeChange(
      { ...current, lease: other, writeToken: 'other' },
      current.writeToken,
    );
    throw new Error('S3 is away.');
  };
  await expect(step(0)).rejects.toThrow('S3 is away.');
  expect(state()).toMatchObject({ step: 0, lease: other });
  expect(sent).toEqual([]);
});
