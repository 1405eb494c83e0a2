import { expect, test } from '@jest/globals';
import {
  asynchronous,
  MemoryGates,
  MemoryLedger,
} from '../../../infra/command/try/memory-ledger.ts';
import { closeExport } from '../../../lib/exports/close-export.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { ControlPorts } from '../../../lib/exports/ports.ts';
import { HALTED, lineOf, rulesWith, START_MS, stateOf } from './state-of.ts';

/** An export that is closed while the event bus takes nothing, and the one behind it. */
async function closed(own: Partial<ExportState>) {
  const memory = new MemoryLedger();
  const state = stateOf({ exportId: 'one', ...own });
  memory.writeExport(state, undefined);
  const next = { exportId: 'two', list: 'invoices' };
  memory.writeLine(lineOf(state.connection, { exportId: 'one' }, next), undefined);
  const woken: string[] = [];
  let tokens = 0;
  const ports: ControlPorts = {
    clock: { now: () => START_MS, sleep: async () => undefined },
    random: { fraction: () => 0, token: () => `token-${++tokens}` },
    ledger: asynchronous(memory),
    gates: asynchronous(new MemoryGates()),
    queue: { send: async ({ exportId }) => void woken.push(exportId) },
    events: { publish: () => Promise.reject(new Error('EventBridge is out of order')) },
    connections: { open: async () => ({ kind: 'no-key', reason: 'missing', message: '' }) },
  };
  const closing = closeExport(ports, rulesWith(['customers', 'invoices']), state);
  expect(await closing).toMatchObject({ message: 'EventBridge is out of order' });
  const line = memory.readLine(state.connection)?.entries.map(({ exportId }) => exportId);
  return { line, woken, untold: memory.listUntold(Number.MAX_SAFE_INTEGER) };
}

test.each(['completed', 'failed', 'cancelled'] as const)(
  'the next export begins though the bus takes no event of one that is %s',
  async (status) => {
    const { line, woken, untold } = await closed({ status, unannounced: [status] });
    expect([line, woken]).toEqual([['two'], ['two']]);
    expect(untold).toEqual([{ connection: 'acme', exportId: 'one' }]);
  },
);

test('the next export waits for one that is halted', async () => {
  const { line, woken, untold } = await closed({ status: 'halted', unannounced: [HALTED] });
  expect([line, woken, untold]).toEqual([['one', 'two'], [], []]);
});
