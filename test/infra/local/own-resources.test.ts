import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { LocalStack } from '../../../infra/local/local-stack.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { startCheckedStack } from './checked-stack.ts';
import { synthesizeStack } from './whole-stack/assembly.ts';
import { operatorOf } from './whole-stack/operator.ts';
import { readStored } from './whole-stack/stored-export.ts';

const KEY = 'key-of-the-owner';
const TIMEOUT_MS = 120_000;
const page = readFileSync(join(import.meta.dirname, '../../../docs/your-own-resources.md'), 'utf8');
const SettingsSchema = v.record(v.string(), v.unknown());
const TableSchema = v.looseObject({ TableName: v.string() });

const folder = mkdtempSync(join(tmpdir(), 'own-resources-'));
let api: Simulator;
let stack: LocalStack;

beforeAll(async () => {
  api = await startSimulator({ customers: 300, organizations: [{ key: KEY }] });
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, api.caPem);
  const [, text = ''] = /^```json\n(.*?)^```/ms.exec(page) ?? [];
  const [, table = ''] = /create-table --cli-input-json '(.*?)'/s.exec(page) ?? [];
  const settings = v.parse(SettingsSchema, JSON.parse(text));
  const { TableName, ...properties } = v.parse(TableSchema, JSON.parse(table));
  synthesizeStack({ ...settings, baseUrl: api.url }, join(folder, 'assembly'));
  stack = await startCheckedStack({
    assembly: join(folder, 'assembly'),
    environment: { NODE_EXTRA_CA_CERTS: caFile },
    schedules: false,
    existing: {
      buckets: ['team-exports'],
      tables: { [TableName]: properties },
      eventBuses: ['team'],
    },
  });
}, TIMEOUT_MS);
afterAll(async () => {
  // Fails when a role did not allow something.
  await stack.stop();
  await api.close();
  rmSync(folder, { recursive: true });
});

test(
  'exports to the bucket, the table and the bus of the page, as the page says to make them',
  async () => {
    const operator = operatorOf(stack);
    operator.storeKey('demo', KEY);
    const { exportId } = await operator.start('demo');
    await operator.watch('demo', exportId, ({ status }) => status === 'completed');
    await stack.idle();

    const { records } = await readStored(operator, 'demo', exportId);
    expect(records).toHaveLength(300);
    expect(stack.outputs['ExportBucketName']).toBe('team-exports');
    const told = stack.events.filter(({ event }) => event['detail-type'] === 'Export Completed');
    expect(told.map(({ bus }) => bus)).toEqual(['team']);
  },
  TIMEOUT_MS,
);
