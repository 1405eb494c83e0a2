import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { startSimulator } from '../../../infra/simulator/simulator.ts';
import type { CustomersClient } from '../../../lib/customers-api/client.ts';
import { AuthenticationError } from '../../../lib/customers-api/outcome-error.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { redactorOf } from '../../../lib/key/redaction.ts';
import { FAULT_TABLE, type FaultCase } from './fault-table.ts';
import { CANARY, startSimulatedApi } from './simulated-api.ts';

test.each(FAULT_TABLE.map((row) => [row.row, row.title, row] as const))(
  '%s: %s',
  async (_, __, row) => {
    const { simulator, client, close } = await start(row);
    try {
      const outcome = await askFor(client, row.ask ?? { page: 1 });

      expect(outcome).toMatchObject(row.expected);
      const expectedRequests = row.requests ?? 1;
      expect(simulator.log.entries.length).toBe(expectedRequests);
      expectNoKeyIn(outcome);
    } finally {
      await close();
    }
  },
);

async function start(row: FaultCase) {
  const { baseUrl } = row.client ?? {};
  // Started before it is trusted, and trusted by nobody.
  const other = ['closed', 'untrusted'].includes(baseUrl ?? '')
    ? await startSimulator()
    : undefined;
  if (baseUrl === 'closed') await other?.close();
  const options = other === undefined ? row.client : { ...row.client, baseUrl: other.url };
  const api = await startSimulatedApi(row.simulator, options);
  const close = async () => {
    await api.simulator.close();
    await other?.close();
  };
  return { ...api, close };
}

async function askFor(
  client: CustomersClient,
  ask: NonNullable<FaultCase['ask']>,
): Promise<unknown> {
  if (ask === 'all pages') return countCustomers(client);
  return 'write' in ask ? client.write(ask.write) : client.listPage(ask.page);
}

/** The number of customers, or the error that ended the loop. */
async function countCustomers(client: CustomersClient): Promise<unknown> {
  let customers = 0;
  try {
    for await (const _customer of client.customers()) customers++;
    return { customers };
  } catch (error) {
    // After a rejected key nothing more may reach the API, whoever asks.
    if (error instanceof AuthenticationError) expectNoKeyIn(await client.listPage(1));
    return error;
  }
}

function expectNoKeyIn(outcome: unknown): void {
  const stack =
    typeof outcome === 'object' && outcome !== null && 'stack' in outcome ? outcome.stack : '';
  const shown = [
    inspect(outcome, {
      depth: 9,
      showHidden: true,
      getters: true,
      maxStringLength: null,
      maxArrayLength: null,
    }),
    JSON.stringify(outcome),
    String(outcome),
    String(stack),
  ].join('\n');
  const redact = redactorOf([ApiKey.from(CANARY)]);
  expect(redact(shown)).toBe(shown);
  expect(shown).not.toContain(CANARY.slice(0, 8));
}
