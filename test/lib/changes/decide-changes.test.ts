import { expect, test } from '@jest/globals';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { closeChanges } from '../../../lib/changes/close-changes.ts';
import { type DecisionRequest, decideChanges } from '../../../lib/changes/decide-changes.ts';
import type { ChangePointer } from '../../../lib/changes/ports.ts';
import { defined } from '../../../lib/defined.ts';
import { MemoryChangeLedger } from '../../faults/changes/memory-change-ledger.ts';
import { changeStateOf } from './change-state-of.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
const lease = { owner: 'worker', untilMs: NOW_MS + 1 };

/** What a person's word does to changes. */
async function decided(own: Partial<ChangeState>, asked: Partial<DecisionRequest> = {}) {
  const ledger = new MemoryChangeLedger();
  const state = changeStateOf({ status: 'stopped', closed: true, ...own });
  ledger.writeChange(state, undefined);
  const { connection, list, exportId } = state;
  const line = { v: 1, connection, list, writeToken: 'l', publishing: exportId } as const;
  ledger.writeComparisonLine({ ...line, ...defined({ base: state.since }) }, undefined);
  const sent: ChangePointer[] = [];
  const ports = {
    clock: { now: () => NOW_MS, sleep: async () => undefined },
    random: { token: () => 'token', fraction: () => 0.5 },
    ledger: asynchronous(ledger),
    queue: { send: async (pointer: ChangePointer) => void sent.push(pointer) },
    events: { publish: async () => undefined },
  };
  const request = { connection, exportId, decision: 'release', by: 'ada', ...asked } as const;
  const { kind } = await decideChanges(ports, request);
  const lineNow = () => ledger.readComparisonLine(connection, list);
  return { kind, sent, stored: ledger.readChange(connection, exportId), state, ports, lineNow };
}

test('stopped changes that are released are told on, as if nothing had failed before', async () => {
  const { kind, sent, stored } = await decided({ step: 3, next: 7, stepsWithoutEvent: 9 });

  expect(kind).toBe('decided');
  expect(stored).toMatchObject({ status: 'publishing', step: 4, next: 7, stepsWithoutEvent: 0 });
  expect(sent).toMatchObject([{ step: 4 }]);
});

test('whoever was still about to hold changes that are released takes nothing out of their line', async () => {
  const own = { status: 'held', recordEvents: true, closed: false } as const;
  const { stored, state, ports, lineNow } = await decided(own);
  expect(stored).toMatchObject({ status: 'publishing', closed: true });

  await closeChanges(ports, state);
  expect(lineNow()).toMatchObject({ base: { exportId: 'now' }, publishing: 'now' });
});

test.each([
  ['told on', { stepsWithoutEvent: 0 }, 'discard', 'not-waiting'],
  ['stuck', { stepsWithoutEvent: 1 }, 'discard', 'decided'],
  ['stuck', { stepsWithoutEvent: 1 }, 'release', 'not-waiting'],
] as const)(
  'of changes that are %s (%j) a person can %s the rest: %s',
  async (_, own, decision, kind) => {
    const found = await decided({ status: 'publishing', lease, ...own }, { decision });

    expect(found.kind).toBe(kind);
    expect(found.stored?.status).toBe(kind === 'decided' ? 'discarded' : 'publishing');
    // Without its lease a worker that is telling them knows that they are not its own any more.
    expect(found.stored?.lease).toEqual(kind === 'decided' ? undefined : lease);
  },
);

test.each([
  ['ada', 'decided'],
  ['bob', 'not-waiting'],
])('a decision that comes again by %s is %s', async (by, kind) => {
  const before = { decision: 'discard', by: 'ada', atMs: 1 } as const;
  const found = await decided(
    { status: 'discarded', decided: before },
    { decision: 'discard', by },
  );

  expect(found.kind).toBe(kind);
});
