import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { type StackWorld, startStackWorld } from './stack-world.ts';
import { operatorOf } from './whole-stack/operator.ts';
import { readStored } from './whole-stack/stored-export.ts';

const KEY = 'key-of-the-owner';
const TIMEOUT_MS = 120_000;
const page = readFileSync(join(import.meta.dirname, '../../../docs/your-own-resources.md'), 'utf8');
const SettingsSchema = v.record(v.string(), v.unknown());
const TableSchema = v.looseObject({ TableName: v.string() });

let world: StackWorld;

beforeAll(async () => {
  const [, text = ''] = /^```json\n(.*?)^```/ms.exec(page) ?? [];
  const [, table = ''] = /create-table --cli-input-json '(.*?)'/s.exec(page) ?? [];
  const settings = v.parse(SettingsSchema, JSON.parse(text));
  const { TableName, ...properties } = v.parse(TableSchema, JSON.parse(table));
  const existing = {
    buckets: ['team-exports'],
    tables: { [TableName]: properties },
    eventBuses: ['team'],
  };
  const apiOptions = { customers: 300, organizations: [{ key: KEY }] };
  world = await startStackWorld(apiOptions, settings, { schedules: false, existing });
}, TIMEOUT_MS);
// Fails when a role did not allow something.
afterAll(() => world?.close());

test(
  'exports to the bucket, the table and the bus of the page, as the page says to make them',
  async () => {
    const { stack } = world;
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
