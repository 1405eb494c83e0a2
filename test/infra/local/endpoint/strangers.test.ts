import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Engines } from '../../../../infra/local/engines.ts';
import type { LocalAccount } from '../../../../infra/local/local-account.ts';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { startSampleAccount } from '../sample-account.ts';
import { type Signer, signedHeaders } from '../signed-fetch.ts';

const SECRET = 'cAnArY-of-strangers';
const READ_SECRET = JSON.stringify({ SecretId: 'keys/demo' });

let account: LocalAccount;
let engines: Engines;
let own: LocalStack['endpoint'];

beforeAll(async () => {
  account = await startSampleAccount();
  ({ engines } = account);
  const { endpointUrl: endpoint, region } = engines.place;
  own = { endpoint, region, credentials: engines.callers.admitPerson('operator') };
  engines.secrets.put('keys/demo', SECRET);
});

afterAll(() => account.stop());

interface Sent {
  readonly headers: Record<string, string>;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
}

/** Sends exactly this, also what no SDK and no `fetch` would. */
async function send({ headers, method = 'POST', path = '/', body = READ_SECRET }: Sent) {
  const asked = request(own.endpoint, { method, path, headers });
  asked.end(body);
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  return { status: answer?.statusCode, text: answer === undefined ? '' : await text(answer) };
}

const toSecrets = (signer: Partial<Signer> = {}, body = READ_SECRET) =>
  signedHeaders({ ...own, service: 'secretsmanager', ...signer }, `${own.endpoint}/`, {
    method: 'POST',
    headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body,
  });
const toStore = (signer: Partial<Signer>, body: string, hash?: string) =>
  signedHeaders({ ...own, service: 's3', ...signer }, `${own.endpoint}/store/a`, {
    method: 'PUT',
    ...(hash === undefined ? {} : { headers: { 'x-amz-content-sha256': hash } }),
    body,
  });

const MINUTE_MS = 60_000;
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=LOCALOPERATOR/20260101/eu-west-1/secretsmanager/aws4_request, SignedHeaders=host, Signature=00';

test('the person of the run reads the secret', async () => {
  expect(await send({ headers: await toSecrets() })).toMatchObject({
    status: 200,
    text: expect.stringContaining(SECRET),
  });
});

test.each<[string, () => Promise<Sent>, number, string]>([
  [
    'the key id that every run had, and no signature',
    async () => ({
      headers: {
        authorization: AUTHORIZATION,
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
    }),
    403,
    'IncompleteSignature',
  ],
  ['no signature at all', async () => ({ headers: {} }), 403, 'MissingAuthenticationToken'],
  [
    'a key id that it made up',
    async () => ({
      headers: await toSecrets({
        credentials: { accessKeyId: 'LOCALOPERATOR', secretAccessKey: 'local' },
      }),
    }),
    403,
    'UnrecognizedClientException',
  ],
  [
    'the right key id and a guessed secret',
    async () => ({
      headers: await toSecrets({ credentials: { ...own.credentials, secretAccessKey: 'local' } }),
    }),
    403,
    'InvalidSignatureException',
  ],
  [
    'the key id of a function without its session token',
    async () => {
      const { sessionToken: _, ...credentials } = engines.callers.admitRole('worker');
      return { headers: await toSecrets({ credentials }) };
    },
    403,
    'UnrecognizedClientException',
  ],
  [
    'a signature of another body',
    async () => ({ headers: await toSecrets({}, '{"SecretId":"keys/other"}') }),
    403,
    'InvalidSignatureException',
  ],
  [
    'a signature for another service',
    async () => ({
      headers: Object.fromEntries(
        Object.entries(await toSecrets({ service: 'sqs' })).map(([name, value]) => [
          name,
          value.replace('/sqs/', '/secretsmanager/'),
        ]),
      ),
    }),
    403,
    'InvalidSignatureException',
  ],
  [
    'a signature for another region',
    async () => ({ headers: await toSecrets({ region: 'us-east-1' }) }),
    403,
    'InvalidSignatureException',
  ],
  [
    'a signature of 16 minutes ago',
    async () => ({ headers: await toSecrets({ signedAtMs: Date.now() - 16 * MINUTE_MS }) }),
    403,
    'InvalidSignatureException',
  ],
  [
    'a signature of 16 minutes ahead',
    async () => ({ headers: await toSecrets({ signedAtMs: Date.now() + 16 * MINUTE_MS }) }),
    403,
    'InvalidSignatureException',
  ],
  [
    'an action that the signature does not cover',
    async () => {
      const headers = await signedHeaders(
        { ...own, service: 'secretsmanager' },
        `${own.endpoint}/`,
        {
          method: 'POST',
          body: READ_SECRET,
        },
      );
      return { headers: { ...headers, 'x-amz-target': 'secretsmanager.GetSecretValue' } };
    },
    403,
    'IncompleteSignature',
  ],
  [
    'another path than the one that is signed',
    async () => ({ headers: await toSecrets(), path: '/other' }),
    403,
    'InvalidSignatureException',
  ],
  [
    'an object with another hash than its own',
    async () => ({
      headers: await toStore({}, 'one'),
      method: 'PUT',
      path: '/store/a',
      body: 'two',
    }),
    400,
    'XAmzContentSHA256Mismatch',
  ],
  [
    'an object in signed pieces, whose signatures are not verified here',
    async () => ({
      headers: await toStore({}, 'one', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'),
      method: 'PUT',
      path: '/store/a',
      body: 'one',
    }),
    501,
    'NotImplemented',
  ],
  [
    'an object with a guessed secret',
    async () => ({
      headers: await toStore({ credentials: { ...own.credentials, secretAccessKey: 'x' } }, 'one'),
      method: 'PUT',
      path: '/store/a',
      body: 'one',
    }),
    403,
    'SignatureDoesNotMatch',
  ],
  [
    'an object signed 16 minutes ago',
    async () => ({
      headers: await toStore({ signedAtMs: Date.now() - 16 * MINUTE_MS }, 'one'),
      method: 'PUT',
      path: '/store/a',
      body: 'one',
    }),
    403,
    'RequestTimeTooSkewed',
  ],
])('a stranger on this machine is refused with %s', async (_, sent, status, code) => {
  const answer = await send(await sent());
  expect(answer).toMatchObject({ status, text: expect.stringContaining(code) });
  expect(answer.text).not.toContain(SECRET);
});

test.each<[string, Record<string, string>]>([
  ['a name that leads here', { host: 'evil.example' }],
  ['such a name with the port', { host: 'evil.example:PORT' }],
  ['another port', { host: '127.0.0.1:1' }],
  ['no port', { host: 'localhost' }],
  ['a web page', { origin: 'https://evil.example' }],
  ['a page of another program on this machine', { origin: 'http://localhost:3000' }],
  ['a page without an origin', { origin: 'null' }],
  ['a link or an image on a page', { 'sec-fetch-site': 'cross-site' }],
  ['a page of another port', { 'sec-fetch-site': 'same-site' }],
])('%s is refused, whatever it is signed with', async (_, more) => {
  const { port } = new URL(own.endpoint);
  const foreign = Object.entries(more).map(([name, value]) => [name, value.replace('PORT', port)]);
  const headers = await signedHeaders({ ...own, service: 'secretsmanager' }, `${own.endpoint}/`, {
    method: 'POST',
    headers: { 'x-amz-target': 'secretsmanager.GetSecretValue', ...Object.fromEntries(foreign) },
    body: READ_SECRET,
  });
  const answer = await send({ headers });
  expect(answer).toMatchObject({
    status: 403,
    text: expect.stringContaining('AccessDeniedException'),
  });
});

test('the SDK gives a refused signature the name that it has on AWS', async () => {
  const credentials = { ...own.credentials, secretAccessKey: 'guessed' };
  const options = { ...own, credentials, maxAttempts: 1 };
  const calls = [
    new SecretsManagerClient(options).send(new GetSecretValueCommand({ SecretId: 'keys/demo' })),
    new DynamoDBClient(options).send(
      new GetItemCommand({ TableName: 'ledger', Key: { pk: { S: 'x' } } }),
    ),
    new SQSClient(options).send(new ReceiveMessageCommand({ QueueUrl: `${own.endpoint}/1/work` })),
    new S3Client(options).send(new GetObjectCommand({ Bucket: 'store', Key: 'a' })),
    new CloudFormationClient(options).send(new DescribeStacksCommand()),
    new CloudFormationClient({ ...own, region: 'us-east-1', maxAttempts: 1 }).send(
      new DescribeStacksCommand(),
    ),
    new CloudFormationClient({
      ...{ ...options, credentials: { accessKeyId: 'LOCALOPERATOR', secretAccessKey: 'local' } },
    }).send(new DescribeStacksCommand()),
  ];
  const names = await Promise.all(calls.map((call) => call.catch(({ name }: Error) => name)));
  expect(names).toEqual([
    'InvalidSignatureException',
    'InvalidSignatureException',
    'InvalidSignatureException',
    'SignatureDoesNotMatch',
    'SignatureDoesNotMatch',
    'SignatureDoesNotMatch',
    'InvalidClientTokenId',
  ]);
});

test.each<[string, Record<string, string>, string, RegExp]>([
  ['an SDK', {}, 'GetCallerIdentity', /^<GetCallerIdentityResponse .*<Arn>arn:aws:iam:/],
  ['an SDK', {}, 'AssumeRole', /<Code>InvalidAction<\/Code>/],
  ['who accepts JSON', { accept: 'application/json' }, 'GetCallerIdentity', /^\{"Get.*"Arn":"arn/],
  ['who accepts JSON', { accept: 'application/json' }, 'AssumeRole', /"InvalidAction"/],
])('STS answers %s by what it can read: %j %s', async (_, accepted, action, answer) => {
  const body = `Action=${action}&Version=2011-06-15`;
  const call = { method: 'POST', body, headers: accepted };
  const sign = (credentials: Signer['credentials']) =>
    signedHeaders({ ...own, credentials, service: 'sts' }, `${own.endpoint}/`, call);
  const guessed = await sign({ ...own.credentials, secretAccessKey: 'guessed' });

  expect((await send({ headers: await sign(own.credentials), body })).text).toMatch(answer);
  expect((await send({ headers: guessed, body })).text).toMatch(
    'accept' in accepted ? /"InvalidSignatureException"/ : /<Code>SignatureDoesNotMatch<\/Code>/,
  );
});

test('S3 takes a body that its signature leaves out, as the SDK may send it', async () => {
  const headers = await toStore({}, '', 'UNSIGNED-PAYLOAD');
  const stored = await send({ headers, method: 'PUT', path: '/store/a', body: 'one' });
  expect(stored.status).toBe(200);
  const { Body } = await new S3Client(own).send(
    new GetObjectCommand({ Bucket: 'store', Key: 'a' }),
  );
  expect(await Body?.transformToString()).toBe('one');
});
