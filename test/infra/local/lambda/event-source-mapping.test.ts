import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createUsageMeter } from '../../../../infra/local/endpoint/usage.ts';
import {
  EventSourceMapping,
  type MappingDefinition,
} from '../../../../infra/local/lambda/event-source-mapping.ts';
import type { FunctionInvoker } from '../../../../infra/local/lambda/function-host.ts';
import type { InvocationOutcome } from '../../../../infra/local/lambda/function-process.ts';
import { type Fauxqs, startFauxqs } from '../../../../infra/local/services/fauxqs.ts';
import { createQueues, type Queues } from '../../../../infra/local/services/sqs/queues.ts';
import { until } from '../../../until.ts';
import { place } from '../template/sample-template.ts';
import { sampleDefinition } from './sample-definition.ts';

interface Batch {
  readonly bytes: number;
  readonly ids: readonly string[];
  readonly bodies: readonly string[];
}

let engine: Fauxqs;
let queues: Queues;

beforeAll(async () => {
  engine = await startFauxqs();
  queues = createQueues(engine, place, createUsageMeter);
});

afterAll(() => engine.close());

/** A host whose only function is this one. */
function hostOf(work: (batch: Batch) => Promise<InvocationOutcome>): FunctionInvoker {
  return {
    find: () => sampleDefinition,
    invoke: (_, payload) => {
      const { Records }: { Records: { messageId: string; body: string }[] } = JSON.parse(payload);
      return work({
        bytes: Buffer.byteLength(payload),
        ids: Records.map(({ messageId }) => messageId),
        bodies: Records.map(({ body }) => body),
      });
    },
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** Feeds the work from a new queue until it says that it has seen enough. */
async function feed(
  queueName: string,
  messages: readonly string[],
  options: Partial<MappingDefinition>,
  work: (batch: Batch, enough: () => void) => Promise<InvocationOutcome>,
): Promise<{ visible: string; hidden: string }> {
  await queues.create(queueName, { VisibilityTimeout: '30' });
  for (const MessageBody of messages) {
    await queues.call('test', 'SendMessage', { QueueUrl: queueName, MessageBody });
  }
  const host = Promise.withResolvers<void>();
  const mapping = new EventSourceMapping(
    {
      function: sampleDefinition,
      queueName,
      batchSize: 10,
      maximumConcurrency: 2,
      ...options,
    },
    queues,
    hostOf((batch) => work(batch, host.resolve)),
  );
  await host.promise;
  const counts = await settled(queueName, () => mapping.running);
  // Wakes the long poll, so that the mapping can stop.
  const stopped = mapping.stop();
  await queues.call('test', 'SendMessage', { QueueUrl: queueName, MessageBody: 'wake' });
  await stopped;
  return counts;
}

async function settled(queueName: string, running: () => number) {
  await until('all batches', () => running() === 0, { everyMs: 0 });
  const state = (await queues.states()).find(({ name }) => name === queueName);
  return {
    visible: String(state?.approximateMessageCount),
    hidden: String(state?.approximateInflightCount),
  };
}

const returned = (value: unknown): InvocationOutcome => ({
  kind: 'returned',
  payload: JSON.stringify(value),
});
const nothingLeft = { visible: '0', hidden: '0' };

test('runs at most the maximum number of batches at once, and every message', async () => {
  const seen: string[] = [];
  let running = 0;
  let most = 0;
  const counts = await feed('many', numbered(25), { batchSize: 3 }, async ({ bodies }, enough) => {
    running += 1;
    most = Math.max(most, running);
    expect(bodies.length).toBeLessThanOrEqual(3);
    // Long enough for a mapping without a bound to receive more.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    seen.push(...bodies);
    running -= 1;
    if (seen.length === 25) enough();
    return returned(null);
  });
  expect(most).toBe(2);
  expect(new Set(seen).size).toBe(25);
  expect(counts).toEqual(nothingLeft);
});

test('gives a function no more than 6 MiB of UTF-8 at once', async () => {
  const text = 'ä'.repeat(500_000);
  const sizes: number[] = [];
  let seen = 0;
  const counts = await feed('large', Array(8).fill(text), {}, async ({ bytes, ids }, enough) => {
    sizes.push(bytes);
    seen += ids.length;
    if (seen === 8) enough();
    return returned(null);
  });
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(6 * 1024 * 1024);
  expect(counts).toEqual(nothingLeft);
});

test.each<[string, (batch: Batch) => InvocationOutcome, Partial<MappingDefinition>, string]>([
  [
    'deletes all but the reported items',
    ({ ids }) => returned({ batchItemFailures: [{ itemIdentifier: ids[0] }] }),
    {},
    '1',
  ],
  [
    'keeps the whole batch of an unknown id',
    () => returned({ batchItemFailures: [{ itemIdentifier: 'x' }] }),
    {},
    '4',
  ],
  [
    'keeps the whole batch of a failed call',
    () => ({ kind: 'failed', error: { errorType: 'E', errorMessage: 'm' } }),
    {},
    '4',
  ],
])('%s', async (title, outcomeOf, options, hidden) => {
  const name = title.replaceAll(' ', '-');
  const counts = await feed(name, numbered(4), options, async (batch, enough) => {
    enough();
    return outcomeOf(batch);
  });
  expect(counts).toEqual({ visible: '0', hidden });
});
