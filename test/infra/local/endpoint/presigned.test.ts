import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { presigningClientSettings } from '../../../../functions/aws/client-settings.ts';
import { createPresignUrl } from '../../../../functions/aws/presigned-urls.ts';
import { PRESIGNED_PARAMETERS } from '../../../../infra/local/endpoint/authorization.ts';
import type { Credentials } from '../../../../infra/local/endpoint/callers.ts';
import type { Engines } from '../../../../infra/local/engines.ts';
import { readStatements } from '../../../../infra/local/iam/statement.ts';
import type { LocalAccount } from '../../../../infra/local/local-account.ts';
import { startSampleAccount } from '../sample-account.ts';
import { signedHeaders } from '../signed-fetch.ts';

const KEY = 'exports/connection=demo/export=a/part-00001-ab.ndjson.gz';
const OTHER_KEY = 'exports/connection=demo/export=a/part-00002-ab.ndjson.gz';
const BODY = 'what is stored, as it is';
const MINUTE_MS = 60_000;

let account: LocalAccount;
let engines: Engines;
let role: Required<Credentials>;

beforeAll(async () => {
  account = await startSampleAccount();
  ({ engines } = account);
  const { access } = engines;
  const trust = { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } };
  access.addRole(
    'arn:aws:iam::111122223333:role/files',
    'files',
    readStatements({ Statement: [{ ...trust, Action: 'sts:AssumeRole' }] }, 'trust'),
  );
  const allowed = {
    Effect: 'Allow',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::store/${KEY}`,
  };
  access.addRolePolicy('files', readStatements({ Statement: [allowed] }, 'policy'), 'policy');
  access.addCaller({
    caller: 'files',
    roleArn: 'arn:aws:iam::111122223333:role/files',
    service: 'lambda.amazonaws.com',
    sourceArn: 'arn:aws:lambda:eu-west-1:111122223333:function:files',
    place: 'files',
  });
  role = engines.callers.admitRole('files');
  const person = clientOf(engines.callers.admitPerson('operator'));
  for (const key of [KEY, OTHER_KEY]) {
    await person.send(new PutObjectCommand({ Bucket: 'store', Key: key, Body: BODY }));
  }
  person.destroy();
});

afterAll(() => account.stop());

function clientOf(credentials: Credentials): S3Client {
  const { endpointUrl: endpoint, region } = engines.place;
  return new S3Client({ ...presigningClientSettings(), endpoint, region, credentials });
}

async function presigned(key = KEY, atMs = Date.now(), credentials: Credentials = role) {
  const client = clientOf(credentials);
  const { url } = await createPresignUrl(client, 'store')(key, atMs);
  client.destroy();
  return new URL(url);
}

function changed(url: URL, parameters: Readonly<Record<string, string | undefined>>): URL {
  const other = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) other.searchParams.delete(name);
    else other.searchParams.set(name, value);
  }
  return other;
}

test('plain curl downloads by a presigned URL what is stored, whole and in part', async () => {
  const url = (await presigned()).href;
  expect(url).not.toMatch(/checksum/i);
  const curl = async (...args: string[]) =>
    (await promisify(execFile)('curl', ['-sS', '--fail-with-body', ...args, url])).stdout;

  expect(await curl()).toBe(BODY);
  expect(await curl('--range', '5-6')).toBe(BODY.slice(5, 7));
});

test('a presigned URL is valid for 15 minutes, to the end of them', async () => {
  expect((await fetch(await presigned(KEY, Date.now() - 14.9 * MINUTE_MS))).status).toBe(200);
});

interface Refused {
  readonly url: URL | Promise<URL>;
  readonly init?: RequestInit;
  readonly status: number;
  /** As Amazon S3 has them (API reference, "Error responses"). */
  readonly code: string;
  readonly says?: string;
}

test.each<[string, () => Refused]>([
  [
    'after its time',
    () => ({
      url: presigned(KEY, Date.now() - 15.1 * MINUTE_MS),
      status: 403,
      code: 'AccessDenied',
      says: 'Request has expired',
    }),
  ],
  [
    'before its time',
    () => ({
      url: presigned(KEY, Date.now() + 16 * MINUTE_MS),
      status: 403,
      code: 'AccessDenied',
      says: 'Request is not yet valid',
    }),
  ],
  [
    'with a longer life than was signed',
    () => ({
      url: presigned().then((url) => changed(url, { 'X-Amz-Expires': '604800' })),
      status: 403,
      code: 'SignatureDoesNotMatch',
    }),
  ],
  [
    'with a later date than was signed',
    () => ({
      url: presigned(KEY, Date.now() - 20 * MINUTE_MS).then((url) => {
        const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
        return changed(url, { 'X-Amz-Date': now });
      }),
      status: 403,
      code: 'SignatureDoesNotMatch',
    }),
  ],
  [
    'for another object',
    () => ({
      url: presigned().then((url) => new URL(url.href.replace('00001', '00002'))),
      status: 403,
      code: 'SignatureDoesNotMatch',
    }),
  ],
  [
    'with another parameter',
    () => ({
      url: presigned().then((url) => changed(url, { 'response-content-type': 'text/html' })),
      status: 403,
      code: 'SignatureDoesNotMatch',
    }),
  ],
  ...(['HEAD', 'PUT', 'DELETE', 'POST'] as const).map((method): [string, () => Refused] => [
    `by ${method}`,
    () => ({ url: presigned(), init: { method }, status: 403, code: 'SignatureDoesNotMatch' }),
  ]),
  [
    'with the secret of another one',
    () => {
      const secretAccessKey = 'guessed';
      return {
        url: presigned(KEY, Date.now(), { ...role, secretAccessKey }),
        status: 403,
        code: 'SignatureDoesNotMatch',
      };
    },
  ],
  [
    'by a caller of another stack',
    () => {
      const accessKeyId = 'LOCAL0123456789ABCDEF';
      return {
        url: presigned(KEY, Date.now(), { ...role, accessKeyId }),
        status: 403,
        code: 'InvalidAccessKeyId',
      };
    },
  ],
  [
    'with the session of another one',
    () => ({
      url: presigned().then((url) => changed(url, { 'X-Amz-Security-Token': 'other' })),
      status: 403,
      code: 'InvalidAccessKeyId',
    }),
  ],
  [
    'for another region',
    () => ({
      url: presigned().then(
        (url) => new URL(url.href.replaceAll('eu-west-1%2Fs3', 'us-east-1%2Fs3')),
      ),
      status: 403,
      code: 'SignatureDoesNotMatch',
    }),
  ],
  ...PRESIGNED_PARAMETERS.map((name): [string, () => Refused] => [
    `without ${name}`,
    () => ({
      url: presigned().then((url) => changed(url, { [name]: undefined })),
      status: 400,
      code: 'AuthorizationQueryParametersError',
    }),
  ]),
  ...['0', '604801', '-1', '1e3'].map((value): [string, () => Refused] => [
    `that is to be valid for ${value} s`,
    () => ({
      url: presigned().then((url) => changed(url, { 'X-Amz-Expires': value })),
      status: 400,
      code: 'AuthorizationQueryParametersError',
    }),
  ]),
  [
    'with a header of S3 that it does not cover',
    () => ({
      url: presigned(),
      init: { headers: { 'x-amz-request-payer': 'requester' } },
      status: 403,
      code: 'AccessDenied',
      says: 'headers present in the request which were not signed',
    }),
  ],
  [
    'for what its role may not read',
    () => ({ url: presigned(OTHER_KEY), status: 403, code: 'AccessDenied', says: 's3:GetObject' }),
  ],
])('a presigned URL is refused %s', async (_, refused) => {
  const { url, init, status, code, says = '' } = refused();
  const answer = await fetch(await url, init);
  const text = await answer.text();

  expect([answer.status, text === '' ? code : /<Code>(\w+)/.exec(text)?.[1]]).toEqual([
    status,
    code,
  ]);
  expect(text).toContain(text === '' ? '' : says);
  expect(text).not.toContain(BODY);
});

test('a signature in the headers and one in the query are one too many', async () => {
  const url = await presigned();
  const signer = { ...engines.place, service: 's3', credentials: role };
  const answer = await fetch(url, { headers: await signedHeaders(signer, url.href, {}) });

  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('<Code>InvalidArgument');
});

test.each(['sqs', 'execute-api', 'secretsmanager'])(
  'a signature in the query is none for %s',
  async (service) => {
    const url = new URL((await presigned()).href.replaceAll('%2Fs3%2F', `%2F${service}%2F`));
    expect((await fetch(url)).status).toBe(400);
  },
);

test('a presigned URL is of no use to a web page', async () => {
  const answer = await fetch(await presigned(), { headers: { origin: 'https://evil.example' } });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('AccessDeniedException');
});
