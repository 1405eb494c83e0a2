import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import { exportIdOf } from '../../../../lib/exports/export-id.ts';
import { checkDetail } from '../../../faults/check-event.ts';
import { startCheckedStack } from '../checked-stack.ts';
import { synthesizeStack } from '../whole-stack/assembly.ts';
import { type Operator, operatorOf } from '../whole-stack/operator.ts';

const KEYS = { timed: 'key-of-timed', asked: 'key-of-asked', late: 'key-of-late' } as const;
const WRONG_KEY = 'key-that-is-wrong';
const SUITE_TIMEOUT_MS = 180_000;

const folder = mkdtempSync(join(tmpdir(), 'triggers-'));
const lines: string[] = [];
let api: Simulator;
let stack: LocalStack;
const ends: (() => Promise<void> | void)[] = [];
let operator: Operator;
let bus: EventBridgeClient;

beforeAll(async () => {
  api = await startSimulator({
    customers: 300,
    organizations: Object.entries(KEYS).map(([name, key]) => ({ name, key })),
  });
  ends.push(() => api.close());
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, api.caPem);
  const connections = { timed: { schedule: 'rate(1 minute)' }, asked: {}, late: {}, other: {} };
  await synthesizeStack({ baseUrl: api.url, connections }, join(folder, 'assembly'));
  stack = await startCheckedStack({
    assembly: join(folder, 'assembly'),
    environment: { NODE_EXTRA_CA_CERTS: caFile },
    onLog: ({ line }) => lines.push(line),
  });
  ends.push(() => stack.stop());
  operator = operatorOf(stack);
  bus = new EventBridgeClient(stack.endpoint);
  ends.push(() => bus.destroy());
  for (const [connection, key] of Object.entries(KEYS)) {
    operator.storeKey(connection, connection === 'late' ? WRONG_KEY : key);
  }
  operator.storeKey('other', WRONG_KEY);
}, SUITE_TIMEOUT_MS);
afterAll(async () => {
  // Also when only some of it was started.
  for (const end of ends.reverse()) await end();
  rmSync(folder, { recursive: true });
});

async function request(detail: object): Promise<string> {
  const { Entries } = await bus.send(
    new PutEventsCommand({
      Entries: [
        {
          Source: 'customers-functions.requests',
          DetailType: 'Export Requested',
          Detail: JSON.stringify({ integration: stack.outputs['IntegrationId'], ...detail }),
        },
      ],
    }),
  );
  return Entries?.[0]?.EventId ?? '';
}

/** The detail of the first event of this type about an export. */
async function told(detailType: string, exportId: string) {
  for (;;) {
    const found = stack.events.find(
      ({ event }) => event['detail-type'] === detailType && event.detail['exportId'] === exportId,
    );
    if (found !== undefined) return found.event.detail;
    await wait(30);
  }
}

/** The next event in the undelivered queue, which is gone from there then. */
async function takeUndelivered(): Promise<unknown> {
  const sqs = new SQSClient(stack.endpoint);
  const QueueUrl = String(stack.outputs['UndeliveredQueueUrl']);
  try {
    for (;;) {
      const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 });
      const { ReceiptHandle, Body } = (await sqs.send(receive)).Messages?.[0] ?? {};
      if (Body === undefined) continue;
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      return JSON.parse(Body);
    }
  } finally {
    sqs.destroy();
  }
}

test(
  'a schedule written as rate(1 minute) starts an export by itself',
  async () => {
    const isTimed = ({ event }: LocalStack['events'][number]) =>
      event['detail-type'] === 'Export Completed' && event.detail['connection'] === 'timed';
    while (!stack.events.some(isTimed)) await wait(30);

    const detail = stack.events.find(isTimed)?.event.detail ?? {};
    expect(detail).toMatchObject({ customers: 300, completeness: 'complete' });
    expect(detail['exportId']).toMatch(/^schedule-/);
    checkDetail('completed', detail);
  },
  SUITE_TIMEOUT_MS,
);

test(
  'an event starts an export that is named after it',
  async () => {
    const eventId = await request({ v: 1, connection: 'asked' });

    const detail = await told(
      'Export Completed',
      exportIdOf('asked', 'customers', { kind: 'event', eventId }),
    );
    expect(detail).toMatchObject({ connection: 'asked', customers: 300 });
  },
  SUITE_TIMEOUT_MS,
);

test(
  'a new key sets going again at once what its connection had stopped, and no other connection',
  async () => {
    const exportId = exportIdOf('late', 'customers', {
      kind: 'event',
      eventId: await request({ v: 1, connection: 'late' }),
    });
    const otherId = exportIdOf('other', 'customers', {
      kind: 'event',
      eventId: await request({ v: 1, connection: 'other' }),
    });
    checkDetail('halted', await told('Export Halted', exportId));
    await told('Export Halted', otherId);
    const sweeps = lines.filter((line) => line.includes('"Swept"')).length;

    operator.storeKey('late', KEYS.late);

    expect(await told('Export Completed', exportId)).toMatchObject({ customers: 300 });
    const swept = lines.filter((line) => line.includes('"Swept"')).slice(sweeps);
    expect(swept).toHaveLength(1);
    expect(swept[0]).toContain('"connection":"late"');
    const other = await operator.watch('other', otherId, () => true);
    expect(other.status).toBe('halted');
  },
  SUITE_TIMEOUT_MS,
);

test(
  'an event for another integration starts nothing here, and one that names none is kept',
  async () => {
    const refusals = () =>
      lines.filter((line) => line.includes('Event sent to the undelivered queue'));
    await request({ v: 1, integration: 'Other', connection: 'other' });
    // Two, one after the other: what the first event brought is there when the second of them is.
    for (const count of [1, 2]) {
      await request({ v: 1, integration: undefined, connection: 'other' });
      while (refusals().length < count) await wait(30);
      expect(await takeUndelivered()).toHaveProperty('detail', { v: 1, connection: 'other' });
    }

    expect(refusals()).toHaveLength(2);
    expect(refusals()[0]).toContain('detail.integration: missing, unknown or wrong in an event');
  },
  SUITE_TIMEOUT_MS,
);

test(
  'an event that cannot be understood is logged, and ends in the undelivered queue as it was sent',
  async () => {
    await request({ v: 1, connection: 'asked', per_page: 7 });

    expect(await takeUndelivered()).toMatchObject({
      'detail-type': 'Export Requested',
      detail: { v: 1, connection: 'asked', per_page: 7 },
    });
    expect(lines.join('')).toContain('detail.per_page: missing, unknown or wrong in an event');
  },
  SUITE_TIMEOUT_MS,
);
