import { expect, test } from '@jest/globals';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { wakeChanges } from '../../../lib/changes/wake-changes.ts';
import { MemoryChangeLedger } from '../../faults/changes/memory-change-ledger.ts';
import { changeStateOf } from './change-state-of.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
const DAY_MS = 24 * 3600 * 1000;

/** What a sweep finds where these changes are on their way. */
async function swept(own: Partial<ChangeState>) {
  const ledger = new MemoryChangeLedger();
  const times = { comparedAtMs: NOW_MS - DAY_MS, updatedAtMs: NOW_MS, notBeforeMs: NOW_MS };
  const state = changeStateOf({ status: 'publishing', closed: true, ...times, ...own });
  ledger.writeChange(state, undefined);
  return wakeChanges({
    clock: { now: () => NOW_MS, sleep: async () => undefined },
    random: { token: () => 'token', fraction: () => 0.5 },
    ledger: ledger.port(),
    queue: { send: async () => undefined },
    events: { publish: async () => undefined },
  });
}

test('changes wait from their comparison on', async () => {
  expect(await swept({})).toMatchObject([{ result: 'nothing', waitedSeconds: 24 * 3600 }]);
});

test('changes that a person held up wait from the decision on', async () => {
  const decided = { decision: 'release', by: 'ada', atMs: NOW_MS - 60_000 } as const;
  expect(await swept({ decided })).toMatchObject([{ result: 'nothing', waitedSeconds: 60 }]);
});
