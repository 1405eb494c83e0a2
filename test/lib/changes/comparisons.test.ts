import { expect, test } from '@jest/globals';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import { beginComparison, leaveComparison } from '../../../lib/changes/begin-comparison.ts';
import { changeSettingsOf } from '../../../lib/changes/change-settings.ts';
import { closeChanges } from '../../../lib/changes/close-changes.ts';
import { decideChanges } from '../../../lib/changes/decide-changes.ts';
import { type ComparisonResult, endComparison } from '../../../lib/changes/end-comparison.ts';
import type { ChangePointer, ChangePorts, ChangesEvent } from '../../../lib/changes/ports.ts';
import { MemoryChangeLedger } from '../../faults/changes/memory-change-ledger.ts';
import { schemaOf } from '../../faults/check-event.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const summary = {
  key: 'exports/connection=acme/list=customers/export=now/changes.json',
  sha256: 'abc',
};
const counts = { before: 100, now: 101, added: 2, changed: 3, removed: 1, unchanged: 96 };
const asked = changeSettingsOf({ events: true });

function exportOf(exportId: string, startedAtMs = NOW_MS) {
  return {
    connection: 'acme',
    list: 'customers',
    exportId,
    startedAtMs,
    manifestKey: `${exportId}/m`,
  };
}

function world() {
  const ledger = new MemoryChangeLedger();
  const events: ChangesEvent[] = [];
  const sent: ChangePointer[] = [];
  const time = { nowMs: NOW_MS };
  let tokens = 0;
  const ports: ChangePorts = {
    clock: { now: () => time.nowMs, sleep: () => Promise.resolve() },
    random: { fraction: () => 0.5, token: () => `token-${tokens++}` },
    ledger: asynchronous(ledger),
    queue: { send: async (pointer) => void sent.push(pointer) },
    events: {
      publish: async (event) => {
        const schema = schemaOf(event.kind);
        schema({ v: 1, integration: 'Team', ...event });
        expect(schema.errors ?? []).toEqual([]);
        events.push(event);
      },
    },
  };
  const begin = (exportId: string, startedAtMs?: number) =>
    beginComparison(ports, exportOf(exportId, startedAtMs), { remainingMs: () => 1000 });
  const end = (
    exportId: string,
    startedAtMs: number,
    result: ComparisonResult,
    settings = changeSettingsOf(),
  ) =>
    endComparison(ports, {
      told: exportOf(exportId, startedAtMs),
      result,
      settings,
      historyDays: 90,
    });
  return { ports, ledger, events, sent, time, begin, end };
}

type World = ReturnType<typeof world>;

/** With a first export `one`, which later ones are compared with. */
async function afterFirst(): Promise<World> {
  const made = world();
  await made.begin('one', NOW_MS);
  await made.end('one', NOW_MS, { kind: 'first', summary, counts });
  return made;
}

const since = { exportId: 'one', startedAtMs: NOW_MS, manifestKey: 'one/m' };
const compared = { kind: 'compared', summary, since, counts } as const;

test('the first export becomes the base, and its event says so', async () => {
  const { events, ledger } = await afterFirst();

  expect(events).toMatchObject([{ kind: 'changes-found', exportId: 'one', first: true, counts }]);
  expect(ledger.readComparisonLine('acme', 'customers')).toMatchObject({
    base: { exportId: 'one' },
  });
});

test('the next one is compared with it, told once, and is the base then', async () => {
  const { begin, end, events, sent, ledger } = await afterFirst();

  expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'compare', base: since });
  expect(await end('two', NOW_MS + 1, compared)).toMatchObject({ status: 'found', closed: true });
  expect(await end('two', NOW_MS + 1, compared)).toMatchObject({ status: 'found' });
  expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'done' });

  expect(events.slice(1)).toMatchObject([
    { kind: 'changes-found', exportId: 'two', sinceExportId: 'one' },
  ]);
  expect(sent).toEqual([]);
  expect(ledger.readComparisonLine('acme', 'customers')).toMatchObject({
    base: { exportId: 'two' },
  });
});

test('where record events are asked for, a wake-up asks for them, and the next comparison waits', async () => {
  const { begin, end, sent } = await afterFirst();
  await begin('two', NOW_MS + 1);
  expect(await end('two', NOW_MS + 1, compared, asked)).toMatchObject({
    status: 'publishing',
    wakeUpSent: true,
  });

  expect(sent).toEqual([{ v: 1, connection: 'acme', exportId: 'two', step: 0 }]);
  for (let looks = 0; looks < 3; looks++) {
    expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'wait' });
  }
});

test('changes that are gone from the ledger hold up nobody', async () => {
  const { begin, end, ledger } = await afterFirst();
  await begin('two', NOW_MS + 1);
  await end('two', NOW_MS + 1, compared, asked);
  ledger.changes.delete('acme/two');

  expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'wait' });
  expect(await begin('three', NOW_MS + 2)).toMatchObject({
    kind: 'compare',
    base: { exportId: 'two' },
  });
});

test('where nothing changed, no wake-up is sent', async () => {
  const { begin, end, sent } = await afterFirst();
  await begin('two', NOW_MS + 1);
  const same = { ...counts, now: 100, added: 0, changed: 0, removed: 0, unchanged: 100 };
  const state = await end('two', NOW_MS + 1, { ...compared, counts: same }, asked);

  expect(state).toMatchObject({ status: 'found' });
  expect(sent).toEqual([]);
});

test('too many removals are held: nothing of them is told, and the base stays', async () => {
  const { begin, end, events, sent, ledger } = await afterFirst();
  await begin('two', NOW_MS + 1);
  const half = { ...counts, now: 50, added: 0, changed: 0, removed: 50, unchanged: 50 };
  const state = await end('two', NOW_MS + 1, { ...compared, counts: half }, asked);

  expect(state).toMatchObject({ status: 'held', closed: true });
  expect(events.slice(1)).toMatchObject([
    { kind: 'changes-held', exportId: 'two', removedPercent: 50, maxRemovedPercent: 10 },
  ]);
  expect(sent).toEqual([]);
  const line = ledger.readComparisonLine('acme', 'customers');
  expect(line).toMatchObject({ base: { exportId: 'one' }, held: 'two' });

  await begin('three', NOW_MS + 2);
  expect(await end('three', NOW_MS + 2, compared)).toMatchObject({ status: 'found' });
  expect(ledger.readChange('acme', 'two')).toMatchObject({ status: 'superseded' });
});

test('held changes that are told late are superseded by newer ones, which a person can release', async () => {
  const { ports, begin, end, ledger } = await afterFirst();
  const half = { ...counts, now: 50, added: 0, changed: 0, removed: 50, unchanged: 50 };
  const result = { ...compared, counts: half };
  await begin('two', NOW_MS + 1);
  const publish = () => Promise.reject(new Error('EventBridge is out of order'));
  const ended = { told: exportOf('two', NOW_MS + 1), result, settings: asked, historyDays: 90 };
  await expect(endComparison({ ...ports, events: { publish } }, ended)).rejects.toThrow();
  // The sweep reads them, and goes on when newer ones are held.
  const read = ledger.readChange('acme', 'two');
  if (read === undefined) throw new Error('They are not stored.');
  await begin('three', NOW_MS + 2);
  await end('three', NOW_MS + 2, result, asked);
  await closeChanges(ports, read);

  expect(ledger.readComparisonLine('acme', 'customers')).toMatchObject({ held: 'three' });
  expect(ledger.readChange('acme', 'two')).toMatchObject({ status: 'superseded' });
  expect(ledger.readChange('acme', 'three')).toMatchObject({ status: 'held' });
  const request = {
    connection: 'acme',
    exportId: 'three',
    decision: 'release',
    by: 'ada',
  } as const;
  expect(await decideChanges(ports, request)).toMatchObject({ kind: 'decided' });
});

test('held changes stay held when they are told again after an outage of the bus', async () => {
  const { ports, begin, end, events, ledger } = await afterFirst();
  await begin('two', NOW_MS + 1);
  const half = { ...counts, now: 50, added: 0, changed: 0, removed: 50, unchanged: 50 };
  const result = { ...compared, counts: half };
  const publish = async () => {
    throw new Error('EventBridge is out of order');
  };
  const ended = { told: exportOf('two', NOW_MS + 1), result, settings: asked, historyDays: 90 };
  await expect(endComparison({ ...ports, events: { publish } }, ended)).rejects.toThrow();

  await end('two', NOW_MS + 1, result, asked);
  expect(ledger.readChange('acme', 'two')).toMatchObject({ status: 'held', closed: true });
  expect(events.at(-1)).toMatchObject({ kind: 'changes-held', exportId: 'two' });
});

test('of two comparisons one at a time has the line, and whoever leaves it goes on', async () => {
  const { ports, begin, time } = await afterFirst();
  const begun = await begin('two', NOW_MS + 1);
  expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'wait' });
  expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'wait' });
  if (begun.kind === 'compare')
    await leaveComparison(ports, exportOf('two', NOW_MS + 1), begun.lease);

  expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'wait' });
  expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'compare' });
  time.nowMs += 2 * 3600 * 1000;
  expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'compare' });
});

test('what was compared with a base that does not count any more is compared again', async () => {
  const { begin, end } = await afterFirst();
  await begin('three', NOW_MS + 2);
  const other = { ...since, exportId: 'zero' };
  expect(await end('three', NOW_MS + 2, { ...compared, since: other })).toMatchObject({
    status: 'outdated',
  });

  expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'compare', base: since });
  expect(await end('three', NOW_MS + 2, compared)).toMatchObject({ status: 'found' });
  expect(await begin('two', NOW_MS + 1)).toEqual({ kind: 'overtaken' });
});

test.each([
  ['there was no other', {}],
  ['the one before could not be compared', { passedOver: 'zero' }],
])(
  'the first, since %s, is compared all the same with what was accepted meanwhile',
  async (_, seen) => {
    const { begin, end, events } = await afterFirst();
    await begin('two', NOW_MS + 1);
    const state = await end('two', NOW_MS + 1, { kind: 'first', summary, counts, ...seen });

    expect(state).toMatchObject({ status: 'outdated' });
    expect(events).toHaveLength(1);
    expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'compare', base: since });
    const passedOver = { kind: 'first', summary, counts, passedOver: 'one' } as const;
    expect(await end('two', NOW_MS + 1, passedOver)).toMatchObject({ status: 'first' });
  },
);

test('what cannot be compared leaves the base, and the line to the next one', async () => {
  const { begin, end, events, ledger } = await afterFirst();
  await begin('two', NOW_MS + 1);
  const reason = 'Two records have the same id.';
  expect(await end('two', NOW_MS + 1, { kind: 'refused', summary, counts, reason })).toMatchObject({
    status: 'refused',
    reason,
  });

  expect(events).toHaveLength(1);
  expect(ledger.readComparisonLine('acme', 'customers')).toMatchObject({
    base: { exportId: 'one' },
  });
  expect(await begin('three', NOW_MS + 2)).toMatchObject({ kind: 'compare', base: since });
});

test('a comparison that a newer one has overtaken holds up nobody', async () => {
  const { begin, end, time, ledger } = await afterFirst();
  await begin('three', NOW_MS + 2);
  time.nowMs += 2 * 3600 * 1000;
  // The worker of the newer one was only slow, and its changes are accepted.
  expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'compare' });
  expect(await end('three', NOW_MS + 2, compared)).toMatchObject({ status: 'found' });

  expect(await begin('two', NOW_MS + 1)).toEqual({ kind: 'overtaken' });
  expect(ledger.readComparisonLine('acme', 'customers')).not.toHaveProperty('comparing');
  expect(await begin('four', NOW_MS + 3)).toMatchObject({ kind: 'compare' });
});

test('a worker that was too late leaves nothing in the line of its list', async () => {
  const { begin, end, ledger } = await afterFirst();
  await begin('two', NOW_MS + 1);
  const half = { ...counts, now: 50, added: 0, changed: 0, removed: 50, unchanged: 50 };
  await end('two', NOW_MS + 1, { ...compared, counts: half });
  // It had looked for what is known of the export before that was there, and went on only now.
  const begins = () => {
    const line = ledger.lines.get('acme/customers');
    if (line === undefined) throw new Error('There is no line.');
    const comparing = { exportId: 'two', sinceMs: NOW_MS };
    ledger.lines.set('acme/customers', { ...line, comparing });
  };
  const lineNow = () => ledger.readComparisonLine('acme', 'customers');

  begins();
  expect(await end('two', NOW_MS + 1, compared)).toMatchObject({ status: 'held' });
  expect(lineNow()).not.toHaveProperty('comparing');
  begins();
  expect(await begin('two', NOW_MS + 1)).toMatchObject({ kind: 'done' });
  expect(lineNow()).toMatchObject({ base: since, held: 'two' });
  expect(lineNow()).not.toHaveProperty('comparing');
});

test('what was accepted is told before the next one may take its place', async () => {
  const { begin, end, events, ledger } = await afterFirst();
  const first = ledger.readChange('acme', 'one');
  if (first === undefined) throw new Error('There are no changes of the export.');
  // Whoever moved the line crashed before the event was out.
  ledger.changes.set('acme/one', { ...first, closed: false });
  events.length = 0;
  await begin('two', NOW_MS + 1);
  await end('two', NOW_MS + 1, compared);

  expect(events.map(({ exportId }) => exportId)).toEqual(['one', 'two']);
  expect(ledger.readChange('acme', 'one')).toMatchObject({ status: 'first', closed: true });
});
