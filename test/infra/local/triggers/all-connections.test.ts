import { SecretsManagerClient, TagResourceCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SCHEDULE_TAG } from '../../../../functions/aws/list-connections.ts';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { until } from '../../../until.ts';
import { type StackWorld, startStackWorld } from '../stack-world.ts';
import { secretsOf } from '../whole-stack/assembly.ts';

const NAMES = ['first', 'second', 'third'] as const;
const LEFT_OUT = ['tagged', 'none'] as const;
const SUITE_TIMEOUT_MS = 300_000;

let world: StackWorld;
let stack: LocalStack;

beforeAll(async () => {
  const organizations = [...NAMES, ...LEFT_OUT].map((name) => ({ name, key: `key-of-${name}` }));
  const settings = {
    schedule: 'rate(1 minute)',
    maxConcurrentExports: 2,
    describeExports: false,
    tables: false,
    connections: { none: { schedule: { enabled: false } } },
  };
  // The schedule fires as soon as the stack is there.
  const existing = {
    secrets: secretsOf([...LEFT_OUT, ...NAMES].map((name) => [name, `key-of-${name}`])),
  };
  world = await startStackWorld({ customers: 30, organizations }, settings, { existing });
  ({ stack } = world);
  const secrets = new SecretsManagerClient(stack.endpoint);
  await secrets.send(
    new TagResourceCommand({
      SecretId: `${stack.outputs['SecretPrefix']}tagged`,
      Tags: [{ Key: SCHEDULE_TAG, Value: 'off' }],
    }),
  );
  secrets.destroy();
}, SUITE_TIMEOUT_MS);
afterAll(() => world?.close());

const completed = () =>
  stack.events
    .filter(({ event }) => event['detail-type'] === 'Export Completed')
    .map(({ event }) => String(event.detail['connection']));

test(
  'one schedule exports every connection that is only a secret, and none that is left out',
  async () => {
    const isDone = () => NAMES.every((name) => completed().includes(name));
    await until('an export of each connection', isDone, { seen: completed, withinMs: 120_000 });

    expect(new Set(completed())).toEqual(new Set(NAMES));
    expect(stack.denied).toEqual([]);
    expect(world.lines.join('')).not.toContain('key-of-');
  },
  SUITE_TIMEOUT_MS,
);

test(
  'all of a minute have ids of the same planned time, however often it is delivered',
  async () => {
    const startAll = Object.entries(stack.resources).find(([id]) =>
      /^CustomersSchedulesStartAllFunction[0-9A-F]{8}$/.test(id),
    )?.[1].name;
    const record = {
      messageId: 'm-1',
      body: JSON.stringify({ v: 1, scheduledTime: '2026-01-01T00:00:00Z', only: [...NAMES] }),
    };
    const deliver = () => stack.invoke(startAll ?? '', { Records: [record] });
    await stack.idle();
    await deliver();
    await stack.idle();
    const before = completed().length;
    const again = await deliver();
    await stack.idle();

    expect(again).toMatchObject({ kind: 'returned', payload: '{"batchItemFailures":[]}' });
    expect(world.lines.filter((line) => line.includes('"over":3')).length).toBeGreaterThan(0);
    expect(completed().length - before).toBeLessThan(NAMES.length);
  },
  SUITE_TIMEOUT_MS,
);
