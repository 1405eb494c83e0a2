import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { demoTruth } from '../../../../infra/local/start/demo-truth.ts';
import { DEMO_KEY } from '../../../../infra/simulator/options.ts';
import { RESOURCE_NAMES, truthFile } from '../../../../infra/simulator/resources.ts';
import { startSimulator } from '../../../../infra/simulator/simulator.ts';

const folder = mkdtempSync(join(tmpdir(), 'demo-truth-'));
const files = {
  log: join(folder, 'log'),
  truth: join(folder, 'truth'),
  journal: join(folder, 'j'),
};
const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['customers', {}],
  ['invoices', { status: 'open' }],
  ['subscriptions', {}],
  ['subscriptions', { status: 'all' }],
] as const)('has the records of %s that %j gets, as they changed', async (resource, query) => {
  const changes: string[] = [];
  const simulator = await startSimulator({
    customers: 200,
    onChanged: (change) => changes.push(JSON.stringify(change)),
  });
  for (const name of RESOURCE_NAMES) {
    const records = simulator.recordsOf(DEMO_KEY, name, { status: 'all' });
    writeFileSync(truthFile(files.truth, name), lines(records));
    simulator.edit(DEMO_KEY, { inserts: 5, deletes: 5, updates: 5 }, name);
  }
  writeFileSync(files.journal, lines(changes));

  const history = await demoTruth(files).historyOf({ resource, query });

  const now = [...(history?.recordsAt(Date.now()).values() ?? [])];
  const expected = simulator.recordsOf(DEMO_KEY, resource, query);
  await simulator.close();
  expect(now.sort()).toEqual([...expected].sort());
  expect(now.length).toBeGreaterThan(2);
});

test.each([
  ['nothing', {}],
  ['invoices', { status: 'late' }],
])('has no records of %s with %j', async (resource, query) => {
  expect(await demoTruth(files).historyOf({ resource, query })).toBeUndefined();
});
