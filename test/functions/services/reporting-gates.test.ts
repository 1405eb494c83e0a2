import { expect, test } from '@jest/globals';
import { reportingGates } from '../../../functions/services/reporting-gates.ts';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

const NOW_MS = 1_000_000;
const TAKE = { expected: 'none', set: {}, add: {} } as const;

function gatesThat(fail: boolean) {
  const { log, records } = recordedLog();
  const memory = asynchronous(new MemoryGates());
  const gates = reportingGates(
    {
      ...{
        read: memory.read,
        blockUntil: memory.blockUntil,
        haltKeyVersion: memory.haltKeyVersion,
      },
      ...{ storePace: memory.storePace, storeSample: memory.storeSample },
      replaceOrganization: memory.replaceOrganization,
      changePlaces: async (...args) => {
        if (fail) throw new TypeError('down');
        return memory.changePlaces(...args);
      },
    },
    { maxWaitSecondsOf: () => 60, now: () => NOW_MS, log },
  );
  return { gates, records };
}

test('reports a place that the ledger did not take, once, and still throws', async () => {
  const { gates, records } = gatesThat(true);
  await expect(gates.changePlaces('acme', TAKE)).rejects.toThrow('down');
  expect(records()).toEqual([
    expect.objectContaining({
      ...{ level: 'WARN', message: 'No place', connection: 'acme' },
      ...{ errorName: 'TypeError', errorMessage: 'down' },
    }),
  ]);
});

test('reports a wait that is longer than anybody sits out, when it is told, and no other', async () => {
  const { gates, records } = gatesThat(false);
  await gates.blockUntil('acme', NOW_MS + 60_000);
  await gates.changePlaces('acme', TAKE);
  expect(records()).toEqual([]);
  await gates.blockUntil('acme', NOW_MS + 60_001, 'Retry-After: 61');
  await gates.blockUntil('acme', NOW_MS + 60_001, 'Retry-After: 61');
  expect(records()).toEqual([
    expect.objectContaining({
      ...{ level: 'ERROR', message: 'Wait too long', waitAsSent: 'Retry-After: 61' },
      ...{ until: '1970-01-01T00:17:40.001Z', WaitsTooLong: 1 },
    }),
  ]);
});
