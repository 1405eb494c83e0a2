import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createUsageMeter } from '../../../../../infra/local/endpoint/usage.ts';
import type { Denial } from '../../../../../infra/local/iam/access.ts';
import { createAsyncInvoker } from '../../../../../infra/local/lambda/async-invoker.ts';
import type { FunctionInvoker } from '../../../../../infra/local/lambda/function-host.ts';
import type { InvocationOutcome } from '../../../../../infra/local/lambda/function-process.ts';
import { receivedMessages } from '../../../../../infra/local/lambda/sqs-event.ts';
import {
  createTargets,
  type Target,
} from '../../../../../infra/local/services/eventbridge/targets.ts';
import { type Fauxqs, startFauxqs } from '../../../../../infra/local/services/fauxqs.ts';
import { createQueues, type Queues } from '../../../../../infra/local/services/sqs/queues.ts';
import { until } from '../../../../until.ts';
import { sampleDefinition } from '../../lambda/sample-definition.ts';
import { place } from '../../template/sample-template.ts';

const arn = (name: string) => `arn:aws:sqs:eu-west-1:111122223333:${name}`;
const functionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:worker';
const definition = { ...sampleDefinition, arn: functionArn, deadLetterArn: arn('dead') };

let engine: Fauxqs;
let queues: Queues;

beforeEach(async () => {
  engine = await startFauxqs();
  queues = createQueues(engine, place, createUsageMeter);
  for (const name of ['work', 'dead']) await queues.create(name, {});
});

afterEach(() => engine.close());

/** Lets every delivery through but those to these resources. */
function accessWithout(refused: readonly string[]) {
  const denialOf = (resource: string): Denial | undefined =>
    refused.includes(resource)
      ? { caller: 'rule', action: 'any', resource, message: 'not authorized' }
      : undefined;
  return {
    refusal: () => undefined,
    serviceRefusal: (_service: string, _source: string, request: { resource: string }) =>
      denialOf(request.resource),
  };
}

/** Delivers once; `outcomes` are what the function answers, call by call. */
async function deliver(
  target: Target,
  text: string,
  outcomes: InvocationOutcome[] = [],
  refused: readonly string[] = [],
) {
  const waitsMs: number[] = [];
  const payloads: string[] = [];
  const host: FunctionInvoker = {
    find: (wanted) => (wanted === functionArn ? definition : undefined),
    invoke: async (_, payload) => {
      payloads.push(payload);
      return outcomes.shift() ?? { kind: 'returned', payload: 'null' };
    },
  };
  const invoker = createAsyncInvoker(host, queues, async (ms) => {
    waitsMs.push(ms);
  });
  const targets = createTargets({ queues, host, invoker, access: accessWithout(refused) });
  targets.deliver(target, text, { kind: 'rule', arn: 'arn:rule' });
  await until('all deliveries', () => targets.pending === 0, { everyMs: 0 });
  return { waitsMs, payloads };
}

async function messages(queue: string, WaitTimeSeconds = 0) {
  const answer = await queues.call('test', 'ReceiveMessage', {
    QueueUrl: queue,
    WaitTimeSeconds,
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
])('puts what is for %s into the dead-letter queue', async (_, target) => {
  await deliver({ arn: target, deadLetterArn: arn('dead') }, 'the text');
  expect(await messages('dead')).toMatchObject([{ Body: 'the text' }]);
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
  expect(await messages('dead', 1)).toMatchObject([{ Body: '{"n":1}' }]);
  expect(payloads).toHaveLength(3);
  expect(waitsMs).toEqual([60_000, 120_000]);
});

test.each([
  ['its target', [functionArn], 1],
  ['its target and the dead-letter queue', [functionArn, arn('dead')], 0],
])(
  'a delivery that is refused %s calls nothing, and is kept where it may',
  async (_, refused, kept) => {
    const target = { arn: functionArn, deadLetterArn: arn('dead') };
    expect((await deliver(target, '{}', [], refused)).payloads).toEqual([]);
    const states = await queues.states();
    expect(states.find(({ name }) => name === 'dead')?.approximateMessageCount).toBe(kept);
  },
);
