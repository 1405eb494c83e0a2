import { expect, test } from '@jest/globals';
import { demoTruth } from '../../../../infra/local/start/demo-truth.ts';
import { DEMO_KEY } from '../../../../infra/simulator/options.ts';
import { RESOURCE_NAMES } from '../../../../infra/simulator/resources.ts';
import { startSimulator } from '../../../../infra/simulator/simulator.ts';

test.each([
  ['customers', {}],
  ['invoices', { status: 'open' }],
  ['subscriptions', {}],
  ['subscriptions', { status: 'all' }],
] as const)('has the records of %s that %j gets, as they changed', async (resource, query) => {
  const simulator = await startSimulator({ customers: 200 });
  const before = simulator.recordsOf(DEMO_KEY, resource, query);
  for (const name of RESOURCE_NAMES) {
    simulator.edit(DEMO_KEY, { inserts: 5, deletes: 5, updates: 5 }, name);
  }

  const history = demoTruth(simulator).historyOf({ resource, query });

  const recordsAt = (ms: number) => [...(history?.recordsAt(ms).values() ?? [])].sort();
  const after = simulator.recordsOf(DEMO_KEY, resource, query);
  await simulator.close();
  expect(recordsAt(0)).toEqual([...before].sort());
  expect(recordsAt(Date.now())).toEqual([...after].sort());
  expect(after.length).toBeGreaterThan(2);
  expect(after).not.toEqual(before);
});

test.each([
  ['nothing', {}],
  ['invoices', { status: 'late' }],
])('has no records of %s with %j', async (resource, query) => {
  const simulator = await startSimulator({ customers: 0 });
  expect(demoTruth(simulator).historyOf({ resource, query })).toBeUndefined();
  await simulator.close();
});
