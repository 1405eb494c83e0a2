import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalStack } from '../../../infra/local/local-stack.ts';
import { until } from '../../until.ts';
import { startCheckedStack } from './checked-stack.ts';
import { synthesizeSample } from './sample-stack.ts';

const SYNTHESIS_TIMEOUT_MS = 180_000;

let assembly: string;
let stack: LocalStack;
let sqs: SQSClient;
const lines: string[] = [];

beforeAll(async () => {
  process.env['CUSTOMERS_API_KEY'] = 'canary-of-the-parent';
  process.env['AWS_PROFILE'] = 'profile-of-the-parent';
  assembly = synthesizeSample();
  stack = await startCheckedStack({
    assembly,
    environment: { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
    onLog: ({ line }) => lines.push(line),
  });
  stack.putSecret('sample/one', 'thirty-two characters of a secret'.slice(0, 32));
  sqs = new SQSClient(stack.endpoint);
}, SYNTHESIS_TIMEOUT_MS);

afterAll(async () => {
  await stack.stop();
  rmSync(assembly, { recursive: true });
});

/** The logical id that CDK made of a construct's id. */
function idOf(constructId: string, type: string): string {
  const id = Object.keys(stack.resources).find(
    (logicalId) => logicalId.startsWith(constructId) && stack.resources[logicalId]?.type === type,
  );
  if (id === undefined) throw new Error(`no ${constructId}`);
  return id;
}

const queueUrl = (constructId: string) =>
  stack.resources[idOf(constructId, 'AWS::SQS::Queue')]?.ref ?? '';
const functionId = (constructId: string) => idOf(constructId, 'AWS::Lambda::Function');
const functionName = (constructId: string) => stack.resources[functionId(constructId)]?.name ?? '';
const probe = (act: string, more: object = {}) =>
  stack.invoke(functionId('Probe'), { act, ...more });

async function send(body: object | string, DelaySeconds = 0): Promise<void> {
  const MessageBody = typeof body === 'string' ? body : JSON.stringify(body);
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('Work'), MessageBody, DelaySeconds }));
}

const received = new Map<string, Message[]>();

/** Takes messages off a queue until one matches; the engine's own long poll waits. */
async function receive(constructId: string, matches: (body: string) => boolean): Promise<Message> {
  const QueueUrl = queueUrl(constructId);
  const messages = received.get(constructId) ?? [];
  received.set(constructId, messages);
  for (let poll = 0; poll < 20; poll++) {
    const found = messages.find(({ Body }) => matches(Body ?? ''));
    if (found !== undefined) return found;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    for (const message of Messages) {
      messages.push(message);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    }
  }
  throw new Error(`nothing matched in ${constructId}`);
}

const heard = async (part: string) =>
  JSON.parse((await receive('Heard', (body) => body.includes(part))).Body ?? '');

test('a queue feeds a function, which reaches S3, DynamoDB, Secrets Manager and EventBridge', async () => {
  await send({ id: 'first' });
  await stack.idle();
  expect(await heard('"id":"first"')).toEqual({
    kind: 'used',
    id: 'first',
    batch: expect.any(Number),
    text: 'text of first',
    item: 'first',
    secretLength: 32,
  });
  expect(stack.usage().calls[functionName('Worker')]).toMatchObject({
    's3:PutObject': 1,
    'dynamodb:PutItem': 1,
    'secretsmanager:GetSecretValue': 1,
    'events:PutEvents': 1,
    'sqs:SendMessage': 1,
  });
  expect(stack.usage().lambda[functionName('Worker')]).toMatchObject({
    invocations: 1,
    coldStarts: 1,
  });
  expect(stack.usage().lambda[functionName('Worker')]?.gbSeconds).toBeGreaterThan(0);
});

test("what the operator calls is no part of the stack's usage", async () => {
  await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl('Work') }));
  const { calls } = stack.usage();
  expect(Object.keys(calls)).not.toContain('operator');
  expect(JSON.stringify(calls)).not.toContain('GetQueueAttributes');
});

test('a reported item comes back alone, then goes to the dead-letter queue; its neighbour is done', async () => {
  await Promise.all([send({ id: 'poison', fail: true }), send({ id: 'neighbour' })]);
  expect(await heard('"id":"neighbour"')).toMatchObject({ id: 'neighbour' });
  const dead = await receive('Dead', (body) => body.includes('poison'));
  expect(dead.Body).toBe('{"id":"poison","fail":true}');
  // Two receives by the mapping, one that moved it, and ours.
  expect(Number(dead.Attributes?.['ApproximateReceiveCount'])).toBe(4);
  expect(readUsedIds().filter((id) => id === 'neighbour')).toHaveLength(1);
});

/** Ids told on the bus by the worker. */
function readUsedIds(): unknown[] {
  return stack.events
    .filter(({ event }) => event.source === 'sample')
    .map(({ event }) => event.detail['id']);
}

test('a delayed message arrives when its delay is over', async () => {
  const sentMs = Date.now();
  await send({ id: 'late' }, 1);
  await stack.idle();
  expect(readUsedIds()).not.toContain('late');
  await heard('"id":"late"');
  expect(Date.now() - sentMs).toBeGreaterThanOrEqual(1_000);
});

test('a killed function gets its message again', async () => {
  const failures = () => stack.usage().lambda[functionName('Worker')]?.failures;
  const before = failures() ?? 0;
  await send({ id: 'survivor' });
  await until('a busy process', () => stack.killRandom(), { everyMs: 0 });
  expect(await heard('"id":"survivor"')).toMatchObject({ id: 'survivor' });
  expect(failures()).toBe(before + 1);
});

test('a new version of a secret goes through the rule to its queue', async () => {
  stack.putSecret('sample/two', 'canary-of-a-secret');
  expect(await heard('sample/two')).toMatchObject({
    'detail-type': 'Secret Label Updated',
    detail: { name: 'sample/two', labelUpdated: 'AWSCURRENT' },
  });
  expect(JSON.stringify(stack.events)).not.toContain('canary-of-a-secret');
});

test('an event that the pattern refuses reaches no target', () => {
  const told = stack.events.filter(({ event }) => event.source === 'sample');
  expect(told.length).toBeGreaterThan(0);
  expect(stack.usage().calls['events']?.['sqs:SendMessage']).toBeLessThan(stack.events.length);
});

test('a rate schedule fires at the start, with the scheduled time filled in', async () => {
  expect(await heard('swept')).toEqual({
    kind: 'swept',
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });
  expect(stack.usage().billed.schedulerInvocations).toBe(1);
});

test("a function's environment is the template's and Lambda's, and nothing of this process", async () => {
  const outcome = await probe('environment');
  if (outcome.kind !== 'returned') throw new Error(outcome.kind);
  const environment: Record<string, string> = JSON.parse(outcome.payload);
  expect(environment).toMatchObject({
    OWN: 'yes',
    AWS_ENDPOINT_URL: stack.endpoint.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: functionName('Probe'),
    NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem',
  });
  expect(outcome.payload).not.toContain('of-the-parent');
  expect(environment).not.toHaveProperty('NODE_CHANNEL_FD');
  expect(environment['HOME']).not.toBe(process.env['HOME']);
});

test('the context tells the time that is left, and a warm process is used again', async () => {
  const outcomes = [await probe('context'), await probe('context')];
  const [first, second] = outcomes.map((outcome) =>
    outcome.kind === 'returned' ? JSON.parse(outcome.payload) : outcome,
  );
  expect(first.remaining).toBeGreaterThan(500);
  expect(first.remaining).toBeLessThanOrEqual(3_000);
  expect(second.calls).toBe(first.calls + 1);
  expect(second.awsRequestId).not.toBe(first.awsRequestId);
});

test.each([
  ['throw', { errorType: 'PurposeError', errorMessage: 'on purpose' }],
  ['reject', { errorType: 'Runtime.UnhandledPromiseRejection' }],
  [
    'exit',
    { errorType: 'Runtime.ExitError', errorMessage: expect.stringMatching(/exit status 7$/) },
  ],
  ['fill', { errorType: 'Runtime.OutOfMemory' }],
  ['tell', { errorType: 'Function.ResponseSizeTooLarge' }],
])('a function that does "%s" fails as on Lambda, and the next call works', async (act, error) => {
  expect(await probe(act)).toMatchObject({ kind: 'failed', error });
  expect(await probe('context')).toMatchObject({ kind: 'returned' });
});

test('a function that takes too long fails as on Lambda, also one that blocks, and the next call works', async () => {
  const outcomes = await Promise.all([probe('block'), probe('wait', { ms: 60_000 })]);
  const errorMessage = expect.stringMatching(/ Task timed out after 3\.00 seconds$/);
  expect(outcomes).toMatchObject(outcomes.map(() => ({ kind: 'failed', error: { errorMessage } })));
  expect(await probe('context')).toMatchObject({ kind: 'returned' });
});

test('names a function that the stack does not have', () => {
  expect(() => stack.invoke('Nobody', {})).toThrow(/no function Nobody/);
});

/** A copy of the sample assembly whose template is changed. */
function changedAssembly(change: (text: string) => string): string {
  const file = join(assembly, 'Sample.template.json');
  const original = readFileSync(file, 'utf8');
  writeFileSync(file, change(original));
  return original;
}

test.each<[string, (text: string) => string, RegExp]>([
  [
    'an unknown type',
    (text) => text.replace('AWS::DynamoDB::Table', 'AWS::Neptune::DBCluster'),
    /^Ledger\w+ \(AWS::Neptune::DBCluster\): .*does not know this resource type/,
  ],
  [
    'a property it does not run',
    (text) => text.replace('"VisibilityTimeout": 2', '"VisibilityTimeout": 2, "Colour": 1'),
    /^Work\w+ \(AWS::SQS::Queue\): the local stack does not run the property Colour/,
  ],
  [
    'an attribute of a schedule that it does not know',
    (text) => text.replace('<aws.scheduler.scheduled-time>', '<aws.scheduler.attempt-number>'),
    /^Sweep\w+ \(AWS::Scheduler::Schedule\): Target\.Input: only <aws\.scheduler\.scheduled-time> is filled in here/,
  ],
  [
    'a start of a schedule that is over',
    (text) => text.replace('"ScheduleExpression"', '"StartDate": "2026-01-01T00:00:00.000Z", $&'),
    /^Sweep\w+ \(AWS::Scheduler::Schedule\): EventBridge Scheduler refuses the StartDate 2026-01-01/,
  ],
  [
    'a function timeout above the visibility timeout',
    (text) => text.replace('"VisibilityTimeout": 2', '"VisibilityTimeout": 1'),
    /EventSourceMapping\): the visibility timeout of .* \(1 s\) is below the timeout .* \(2 s\)/,
  ],
])('refuses %s and leaves no port open', async (_, change, message) => {
  const before = listeners();
  expect(before).toBeGreaterThan(0);
  const original = changedAssembly(change);
  try {
    await expect(startCheckedStack({ assembly })).rejects.toThrow(message);
    expect(listeners()).toEqual(before);
  } finally {
    changedAssembly(() => original);
  }
});

/** Ports that this process listens on. */
function listeners(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;
}

test('stop ends every process and port, also with work under way, and can be called again', async () => {
  const other = await startCheckedStack({ assembly, schedules: false });
  const probeName = functionName('Probe');
  const running = other.invoke(probeName, { act: 'wait', ms: 60_000 });
  const port = Number(new URL(other.endpoint.endpoint).port);
  await Promise.all([other.stop(), other.stop()]);
  expect(await running).toMatchObject({ kind: 'failed' });
  await expect(connectTo(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(childrenWith(other.endpoint.endpoint)).toEqual([]);
  expect(other.usage().billed.schedulerInvocations).toBe(0);
});

function connectTo(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}

/** Processes whose environment names an endpoint; empty where the system has no /proc. */
function childrenWith(endpoint: string): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(endpoint);
    } catch {
      return false;
    }
  });
}
