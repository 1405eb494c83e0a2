import { expect, test } from '@jest/globals';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
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
const { files, bodies } = storedChanges([[TOLD], [LEFT]]);

/** Changes in two files on their way to be told, and what a step makes of them. */
function tellingWorld(own: Partial<ChangeState> = {}) {
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
  const sent: ChangePointer[] = [];
  let tokens = 0;
  const world = { objects, told, sent, takesEvents: true };
  const ports: PublishPorts = {
    clock: { now: () => NOW_MS, sleep: async () => undefined },
    random: { token: () => `token-${++tokens}`, fraction: () => 0.5 },
    ledger: ledger.port(),
    queue: { send: async (pointer) => void sent.push(pointer) },
    events: { publish: async () => undefined },
    integration: 'Integration',
    bucket: 'bucket',
    store: { readWhole: async (key) => objects.get(key) },
    bus: {
      put: async (entries) => {
        if (!world.takesEvents) return entries;
        told.push(...entries);
        return [];
      },
    },
  };
  const step = (number: number) =>
    publishStep(
      ports,
      { v: 1, connection: 'acme', exportId: 'now', step: number },
      { remainingMs: () => 60_000 },
    );
  return { ...world, world, step, state: () => ledger.readChange('acme', 'now') };
}

test('a file that is damaged stops the telling after what came before it, and nothing of that is told again', async () => {
  const { objects, told, step, state } = tellingWorld();
  const [first, second] = files.map(({ key }) => key);
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
    world.takesEvents = false;

    expect(await step(40)).toMatchObject({ result: 'goes-on', told: 0 });
    expect(sent).toHaveLength(wakeUps);
    expect(state()).toMatchObject({ status: 'publishing', step: 41, wakeUpSent: true });
  },
);
