import { expect, test } from '@jest/globals';
import { reportingGates } from '../../../functions/services/reporting-gates.ts';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import type { Organization } from '../../../lib/gate/organization.ts';
import type { Gates } from '../../../lib/gate/ports.ts';
import { NOTHING_LEARNED } from '../../../lib/pace/learned-pace.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

const NOW_MS = 1_000_000;
const TAKE = { expected: 'none', set: {}, add: {} } as const;

async function down(): Promise<never> {
  throw new TypeError('down');
}

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
      storePace: fail ? down : memory.storePace,
      storeSample: fail ? down : memory.storeSample,
      replaceOrganization: memory.replaceOrganization,
      changePlaces: fail ? down : memory.changePlaces,
    },
    { maxWaitSecondsOf: () => 60, now: () => NOW_MS, log },
  );
  return { gates, records };
}

const PACE = { v: 2, limit: 'bucket', learned: NOTHING_LEARNED } as const;
const SAMPLE = { resource: 'customers', query: {}, page: 1, hashes: [], atMs: NOW_MS };
type Calls = ReturnType<typeof gatesThat>['gates'];

test.each<[string, string, (gates: Calls) => Promise<unknown>]>([
  ['place', 'No place', (gates) => gates.changePlaces('acme', TAKE)],
  ['pace', 'Not remembered', (gates) => gates.storePace('acme', 'o', PACE)],
  ['sample', 'Not remembered', (gates) => gates.storeSample('acme', 'o', SAMPLE)],
])('reports a %s that the ledger did not take, once, and still throws', async (_, line, call) => {
  const { gates, records } = gatesThat(true);
  await expect(call(gates)).rejects.toThrow('down');
  expect(records()).toEqual([
    expect.objectContaining({
      ...{ level: 'WARN', message: line, connection: 'acme' },
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

const FIRST = { writeToken: 'a', id: 'a', credentials: ['v1/'] };
const CHANGED: Organization = {
  ...{ writeToken: 'b', id: 'b', credentials: ['v2/'] },
  unannounced: { atMs: NOW_MS, previousId: 'a', keyVersion: 'v2', shownBy: 'sample' },
};

test.each(['taken', 'lost'])(
  'reports a change of the organization once, by who stored it, where the answer to that is %s',
  async (answer) => {
    const memory = asynchronous(new MemoryGates());
    const { log, records } = recordedLog();
    const replaceOrganization: Gates['replaceOrganization'] = async (...change) =>
      (await memory.replaceOrganization(...change)) && answer === 'taken';
    const gates = reportingGates(
      { ...memory, replaceOrganization },
      { maxWaitSecondsOf: () => 60, now: () => NOW_MS, log },
    );
    await gates.replaceOrganization('acme', FIRST, undefined);
    expect(records()).toEqual([]);

    expect(await gates.replaceOrganization('acme', CHANGED, FIRST)).toBe(true);
    expect(await gates.replaceOrganization('acme', { ...CHANGED, writeToken: 'c' }, FIRST)).toBe(
      false,
    );
    await gates.replaceOrganization('acme', { ...CHANGED, writeToken: 'd' }, CHANGED);

    expect(records()).toEqual([
      expect.objectContaining({
        ...{ level: 'WARN', message: 'Organization changed', connection: 'acme' },
        ...{ organizationId: 'b', previousOrganizationId: 'a', keyVersion: 'v2' },
        ...{ shownBy: 'sample', FunctionName: 'worker', OrganizationChanges: 1 },
      }),
    ]);
  },
);
