import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toItem } from '../../../../functions/aws/ledger/ledger-item.ts';
import { CommandError } from '../../../../infra/command/command-error.ts';
import { deployedFunctions } from '../../../../infra/command/stack/deployed-functions.ts';
import type { Question } from '../../../../infra/command/stack/integration-api.ts';
import { explained } from '../../../../infra/command/stack/missing-right.ts';
import { createServicePorts } from '../../../../infra/command/stack/service-ports.ts';
import { createServicesApi } from '../../../../infra/command/stack/services-api.ts';
import { deferred } from '../../../../lib/deferred.ts';
import { listen } from '../../../functions/aws/local-server.ts';
import { writeState } from '../../../functions/aws/write-state.ts';
import { sha256 } from './sha256.ts';

const SECRET = 'cAnArY-secret-access-key';
const credentials = { accessKeyId: 'AKIA', secretAccessKey: SECRET, sessionToken: 'cAnArY-token' };
const before = process.env['AWS_ENDPOINT_URL'];

/** Action such as `dynamodb:GetItem`, by what answers to it: a status and a body. */
type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>;

const DENIED = [
  400,
  { __type: 'AccessDeniedException', message: 'User: x is not authorized' },
] as const;
const S3_REFUSAL = '<Error><Code>AccessDenied</Code><Message>no</Message></Error>';
const CONFIGURATION = {
  Environment: {
    Variables: { CONNECTIONS: '{"defaults":{},"connections":{}}', EVENT_BUS: 'team-bus' },
  },
};
const IDENTITY = {
  GetCallerIdentityResponse: { GetCallerIdentityResult: { Arn: 'arn:aws:iam::1:user/ada' } },
};
const ALLOWED: Answers = {
  'sts:GetCallerIdentity': [200, IDENTITY],
  'dynamodb:GetItem': [200, {}],
  'dynamodb:Query': [200, { Items: [] }],
  'dynamodb:UpdateItem': [200, {}],
  'lambda:InvokeFunction': [200, { result: 'started', exportId: 'request-1', status: 'running' }],
  'lambda:GetFunctionConfiguration': [200, CONFIGURATION],
};

let answers: Answers = ALLOWED;
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    await buffer(request);
    const [status, body] = answers[actionOf(request)] ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(status === 403 ? S3_REFUSAL : JSON.stringify(body));
  });
  url = (await listen(server)).url;
  process.env['AWS_ENDPOINT_URL'] = url;
});
afterAll(() => {
  if (before === undefined) delete process.env['AWS_ENDPOINT_URL'];
  else process.env['AWS_ENDPOINT_URL'] = before;
  server.closeAllConnections();
  server.close();
});

function actionOf({ url: path = '', headers }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (path.endsWith('/invocations')) return 'lambda:InvokeFunction';
  if (path.endsWith('/configuration')) return 'lambda:GetFunctionConfiguration';
  if (path.includes('x-id=GetObject')) return 's3:GetObject';
  return target === undefined
    ? 'sts:GetCallerIdentity'
    : `dynamodb:${String(target).split('.').at(-1)}`;
}

const places = (writeQueueUrl?: string) => ({
  ...{ integrationId: 'a', table: 'team-ledger', bucket: 'team-bucket' },
  ...{ exportQueueUrl: `${url}/1/exports`, writeQueueUrl },
});

function apiWith(given: Answers, writeQueueUrl?: string) {
  answers = { ...ALLOWED, ...given };
  const region = async () => 'eu-west-1';
  const { signal } = new AbortController();
  return createServicesApi({
    functions: deployedFunctions(
      { region, credentials, sha256, signal },
      { AWS_ENDPOINT_URL: url },
    ),
    ports: createServicePorts({ region: 'eu-west-1', credentials }, places(writeQueueUrl)),
    startFunction: 'team-start',
    signal,
  });
}

const problemOf = async (given: Answers, path: readonly string[], question: Question = {}) => {
  const error: unknown = await apiWith(given)
    .ask('acme', path, question)
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof CommandError))
    throw new Error(`no CommandError: ${JSON.stringify(error)}`);
  expect(error.message).not.toContain('cAnArY');
  return error.message;
};

const POST = { method: 'POST', body: {} } as const;
const OPENING = { method: 'POST', body: { reason: 'why' } } as const;

test.each<[string, string, readonly string[], Question]>([
  ['dynamodb:Query', 'the table team-ledger and its indexes', ['exports'], {}],
  ['dynamodb:GetItem', 'the table team-ledger', ['exports', 'request-1'], {}],
  ['lambda:InvokeFunction', 'the function team-start', ['exports'], POST],
  ['lambda:GetFunctionConfiguration', 'the function team-start', ['gate', 'opening'], OPENING],
])('names the right %s that is missing, and %s', async (action, resource, path, question) => {
  const denied = action.startsWith('lambda') ? ([403, { Message: 'no' }] as const) : DENIED;
  expect(await problemOf({ [action]: denied }, path, question)).toBe(
    `These credentials need ${action} on ${resource}. docs/command.md lists what each command needs.`,
  );
});

const WAKE_UP = { v: 1, connection: 'acme', exportId: 'request-1', step: 1 } as const;
const OPENED = { kind: 'gate-opened', id: '1', atMs: 1, connection: 'acme' } as const;
const ENDED = [400, { __type: 'ExpiredTokenException' }] as const;

type Ports = ReturnType<typeof createServicePorts>;

test.each<[string, string, Answers, (ports: Ports) => Promise<unknown>]>([
  [
    's3',
    's3:GetObject on arn:aws:s3:::team-bucket/exports/*',
    { 's3:GetObject': [403, {}] },
    ({ files }) => files.store.read('exports/x'),
  ],
  [
    'sqs',
    'sqs:SendMessage on the queue http://127.0.0.1',
    { 'dynamodb:SendMessage': DENIED },
    ({ deciding }) => deciding('team-bus').exports.queue.send(WAKE_UP, 0),
  ],
  [
    'events',
    'events:PutEvents on the event bus team-bus',
    { 'dynamodb:PutEvents': DENIED },
    ({ deciding }) =>
      deciding('team-bus').exports.events.publish({ ...OPENED, by: 'a', reason: 'b', untilMs: 2 }),
  ],
  [
    'credentials',
    'Sign in, or add --profile',
    { 'dynamodb:GetItem': ENDED },
    ({ exports }) => exports.gates.read('acme'),
  ],
])('of a refusal by %s it says what helps', async (_, expected, given, call) => {
  answers = given;
  const ports = createServicePorts({ region: 'eu-west-1', credentials }, places());
  const error: unknown = await call(ports).catch((thrown: unknown) => thrown);
  const resources = { ...ports.resources, bus: 'team-bus' };
  expect(String(explained(error, resources))).toContain(expected);
});

const UNCLEAR = writeState({ status: 'unclear', attempt: 3, closed: true });
const UNCLEAR_WRITE: Answers = {
  'dynamodb:GetItem': [200, { Item: toItem({ pk: 'acme', sk: 'write#w', ...UNCLEAR }) }],
  'dynamodb:PutItem': [200, {}],
};
const SETTLEMENT = ['writes', 'w', 'settlement'];

test.each<[string, Answers, string | undefined]>([
  ['done', { 'dynamodb:PutEvents': [200, { FailedEntryCount: 0 }] }, undefined],
  [
    'done, and who may not tell it learns of the right',
    { 'dynamodb:PutEvents': DENIED },
    'What you asked for is done, and the integration publishes its event within some minutes: These credentials need events:PutEvents on the event bus team-bus. docs/command.md lists what each command needs.',
  ],
])('a decision about a write is %s', async (_, given, problem) => {
  const asked = apiWith({ ...UNCLEAR_WRITE, ...given }, `${url}/1/writes`).ask('acme', SETTLEMENT, {
    method: 'POST',
    body: { attempt: 3, decision: 'done' },
  });
  const said: unknown = await asked.catch((error: unknown) => error);
  if (problem === undefined) expect(JSON.parse(String(said))).toMatchObject({ status: 'done' });
  else expect(said).toMatchObject({ message: problem });
});

test('a gate that was opened is said to be open, though its event may not be told', async () => {
  const gate = { pk: 'acme', sk: 'gate', blockedUntilMs: Date.now() + 600_000 };
  const given: Answers = {
    'dynamodb:GetItem': [200, { Item: toItem(gate) }],
    'dynamodb:UpdateItem': [200, {}],
    'dynamodb:PutEvents': DENIED,
  };
  expect(await problemOf(given, ['gate', 'opening'], OPENING)).toMatch(
    /^The gate is open\. .* These credentials need events:PutEvents on the event bus team-bus\./,
  );
});

test('an export that was started and may not be shown is named', async () => {
  const problem = await problemOf({ 'dynamodb:GetItem': DENIED }, ['exports'], POST);
  expect(problem).toMatch(/^request-1 is running, and cannot be shown: .*dynamodb:GetItem/);
});

test.each([
  ['exportId', { result: 'started', id: 'request-1', status: 'running' }],
  ['status', { result: 'started', exportId: 'request-1', status: 1 }],
  ['the answer', 'started'],
])('an answer of the function that starts exports with another %s is told', async (place, said) => {
  const given: Answers = { 'lambda:InvokeFunction': [200, said] };
  expect(await problemOf(given, ['exports'], POST)).toBe(
    `The function team-start answered something else than expected (${place}). Use this command in the version that is deployed.`,
  );
});

test('what the function that starts exports says is wrong is told as it is', async () => {
  const failing = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'x-amz-function-error': 'Unhandled' });
    response.end('{"errorType":"SettingError","errorMessage":"list: there is none"}');
  });
  const at = (await listen(failing)).url;
  const { signal } = new AbortController();
  const signer = { region: async () => 'eu-west-1', credentials, sha256, signal };
  const functions = deployedFunctions(signer, { AWS_ENDPOINT_URL_LAMBDA: at });
  await expect(functions.invoke('team-start', {})).rejects.toThrow(/^list: there is none$/);
  failing.closeAllConnections();
  failing.close();
});

test.each([
  [429, true],
  [503, true],
  [404, false],
])('a function that answers with status %i may do so later: %s', async (status, isPassing) => {
  const api = apiWith({ 'lambda:InvokeFunction': [status, { Message: 'Not now.' }] });

  await expect(api.ask('acme', ['exports'], POST)).rejects.toMatchObject({ isPassing });
});

test.each(['a:b', '..a', 'a_b.c-d'])(
  'the write %s is looked for by its id as it is, and not as it stands in a URL',
  async (writeId) => {
    const asked = apiWith({}, `${url}/1/writes`).ask('acme', ['writes', writeId]);
    await expect(asked).rejects.toThrow('expected a write of connection acme');
  },
);

test('without operations there is nothing to settle', async () => {
  expect(await problemOf({}, ['writes'])).toContain('declares no operations');
});

test('a person who types Ctrl-C does not wait for a service', async () => {
  const { promise: answered, resolve } = deferred<void>();
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const slow = createServer(async (request, response) => {
    await buffer(request);
    interrupt.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
    response.writeHead(400).end('{}', () => resolve());
  });
  process.env['AWS_ENDPOINT_URL'] = (await listen(slow)).url;
  const region = async () => 'eu-west-1';
  const functions = deployedFunctions({ region, credentials, sha256, signal }, {});
  const ports = createServicePorts({ region: 'eu-west-1', credentials }, places());
  const api = createServicesApi({
    functions: { ...functions, callerArn: async () => 'a' },
    ...{ ports, startFunction: 's', signal },
  });
  const asked = api.ask('acme', ['exports']);
  await answered;
  process.env['AWS_ENDPOINT_URL'] = url;
  slow.closeAllConnections();
  slow.close();
});

test('no service gets or gives anything where others could read it on the way', async () => {
  const open = 'http://services.invalid:4566';
  process.env['AWS_ENDPOINT_URL'] = open;
  const { exports, files, deciding } = createServicePorts(
    { region: 'eu-west-1', credentials },
    { ...places(), exportQueueUrl: `${open}/1/exports` },
  );
  const { events, queue } = deciding('team-bus').exports;
  const opened = {
    kind: 'gate-opened',
    connection: 'acme',
    atMs: 0,
    by: 'ada',
    reason: 'why',
  } as const;
  const asked = [
    () => exports.gates.read('acme'),
    () => files.store.read('exports/manifest.json'),
    () => queue.send({ v: 1, connection: 'acme' }),
    () => events.publish({ ...opened, id: '1', untilMs: 0 }),
  ];
  for (const ask of asked) await expect(ask()).rejects.toThrow('CommandError');
  expect(await problemOf({}, ['exports'])).toMatch(
    /^DynamoDB \w+ was not sent: the address given for DynamoDB has no https\. Check AWS_ENDPOINT_URL/,
  );
  process.env['AWS_ENDPOINT_URL'] = url;
});
