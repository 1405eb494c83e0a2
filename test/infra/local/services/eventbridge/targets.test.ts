import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createUsageMeter } from '../../../../../infra/local/endpoint/usage.ts';
import { createAsyncInvoker } from '../../../../../infra/local/lambda/async-invoker.ts';
import type { FunctionDefinition } from '../../../../../infra/local/lambda/function-definition.ts';
import type {
  FunctionHost,
  InvocationOutcome,
} from '../../../../../infra/local/lambda/function-host.ts';
import { receivedMessages } from '../../../../../infra/local/lambda/sqs-event.ts';
import {
  createTargets,
  type NewEvent,
  type Target,
} from '../../../../../infra/local/services/eventbridge/targets.ts';
import { createQueues, type Queues } from '../../../../../infra/local/services/sqs/queues.ts';
import {
  type QueueEngine,
  startQueueEngine,
} from '../../../../../infra/local/services/sqs/sqs-engine.ts';
import { place } from '../../template/sample-template.ts';

const arn = (name: string) => `arn:aws:sqs:eu-west-1:111122223333:${name}`;
const functionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:worker';
const definition: FunctionDefinition = {
  logicalId: 'Worker',
  name: 'worker',
  arn: functionArn,
  taskRoot: '/',
  handler: 'index.handler',
  variables: {},
  memoryMb: 128,
  timeoutSeconds: 1,
  reservedConcurrency: undefined,
  logFormat: 'Text',
  logLevel: undefined,
  logGroup: 'group',
  deadLetterArn: arn('dead'),
  accessKeyId: 'KEY',
};

let engine: QueueEngine;
let queues: Queues;

beforeEach(async () => {
  engine = await startQueueEngine();
  queues = createQueues(engine, place, createUsageMeter);
  for (const name of ['work', 'dead']) await queues.create(name, {});
});

afterEach(() => engine.close());

/** Delivers once; `outcomes` are what the function answers, call by call. */
async function deliver(target: Target, text: string, outcomes: InvocationOutcome[] = []) {
  const waitsMs: number[] = [];
  const payloads: string[] = [];
  const put: { bus: string; event: NewEvent }[] = [];
  const host: FunctionHost = {
    add: () => {},
    find: (wanted) => (wanted === functionArn ? definition : undefined),
    invoke: async (_, payload) => {
      payloads.push(payload);
      return outcomes.shift() ?? { kind: 'returned', payload: 'null' };
    },
    kill: () => false,
    killRandom: () => false,
    running: 0,
    stop: async () => {},
  };
  const invoker = createAsyncInvoker(host, queues, async (ms) => {
    waitsMs.push(ms);
  });
  const targets = createTargets(
    queues,
    host,
    invoker,
    (bus, event) => put.push({ bus, event }),
    () => undefined,
  );
  targets.deliver(target, text, { ruleArn: 'arn:rule' });
  while (targets.pending > 0) await new Promise((resolve) => setImmediate(resolve));
  return { waitsMs, payloads, put };
}

async function messages(queue: string, WaitTimeSeconds = 0) {
  const answer = await queues.call('test', 'ReceiveMessage', {
    QueueUrl: queue,
    WaitTimeSeconds,
    MessageAttributeNames: ['All'],
  });
  return 'body' in answer ? receivedMessages(answer.body) : [];
}

test('sends the text to a queue', async () => {
  await deliver({ arn: arn('work') }, 'the text');
  expect(await messages('work')).toMatchObject([{ Body: 'the text' }]);
});

test.each([
  ['a queue that does not exist', arn('gone')],
  ['a function that does not exist', `${functionArn}s`],
  ['a service it does not deliver to', 'arn:aws:sns:eu-west-1:111122223333:topic'],
])('puts what is for %s into the dead-letter queue, with the reason', async (_, target) => {
  await deliver({ arn: target, deadLetterArn: arn('dead') }, 'the text');
  const [message] = await messages('dead');
  expect(message).toMatchObject({
    Body: 'the text',
    MessageAttributes: {
      RULE_ARN: { StringValue: 'arn:rule' },
      TARGET_ARN: { StringValue: target },
      ERROR_MESSAGE: { StringValue: expect.any(String) },
    },
  });
});

test('puts an event on another bus', async () => {
  const target = {
    arn: 'arn:aws:events:eu-west-1:111122223333:event-bus/other',
    event: { source: 'a', detailType: 'b' },
  };
  expect((await deliver(target, '{"n":1}')).put).toEqual([
    { bus: 'other', event: { source: 'a', detailType: 'b', detail: { n: 1 }, resources: [] } },
  ]);
});

const failed: InvocationOutcome = {
  kind: 'failed',
  error: { errorType: 'E', errorMessage: 'why' },
};

test('repeats a failed asynchronous call after one and two minutes, then gives it up to the dead-letter queue', async () => {
  const { waitsMs, payloads } = await deliver({ arn: functionArn }, '{"n":1}', [
    failed,
    failed,
    failed,
  ]);
  const [message] = await messages('dead', 1);
  expect(message).toMatchObject({
    Body: '{"n":1}',
    MessageAttributes: { ErrorMessage: { StringValue: 'why' } },
  });
  expect(payloads).toHaveLength(3);
  expect(waitsMs).toEqual([60_000, 120_000]);
});

test('a throttled asynchronous call is repeated and does not count as failed', async () => {
  const outcomes: InvocationOutcome[] = [
    { kind: 'throttled' },
    { kind: 'throttled' },
    failed,
    failed,
    failed,
  ];
  const { waitsMs } = await deliver({ arn: functionArn }, '{}', outcomes);
  await messages('dead', 1);
  expect(waitsMs).toEqual([1_000, 1_000, 60_000, 120_000]);
});

test.each([
  ['its target', [functionArn], 1],
  ['its target and the dead-letter queue', [functionArn, arn('dead')], 0],
])(
  'a delivery that is refused %s calls nothing, and is kept where it may',
  async (_, refused, kept) => {
    const host: FunctionHost = {
      add: () => {},
      find: () => definition,
      invoke: async () => {
        throw new Error('a refused function was called');
      },
      kill: () => false,
      killRandom: () => false,
      running: 0,
      stop: async () => {},
    };
    const targets = createTargets(
      queues,
      host,
      createAsyncInvoker(host, queues, async () => {}),
      () => {},
      (wanted) => (refused.includes(wanted) ? { message: 'not authorized' } : undefined),
    );
    targets.deliver({ arn: functionArn, deadLetterArn: arn('dead') }, '{}', { ruleArn: 'rule' });
    while (targets.pending > 0) await new Promise((resolve) => setImmediate(resolve));
    const states = await queues.states();
    expect(states.find(({ name }) => name === 'dead')?.approximateMessageCount).toBe(kept);
  },
);
