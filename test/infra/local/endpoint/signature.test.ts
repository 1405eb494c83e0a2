import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type SignedRequest, signatureOf } from '../../../../infra/local/endpoint/signature.ts';

type Case = readonly [
  name: string,
  target: string,
  headers: SignedRequest['headers'],
  signature: string,
];

const NOTHING = hash('sha256', '');
const VANILLA = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// The test suite of AWS for Signature Version 4 (aws-sig-v4-test-suite), by the names of its cases.
test.each<Case>([
  ['get-vanilla', '/', {}, VANILLA],
  ['get-relative', '/example/..', {}, VANILLA],
  ['get-slashes-only', '//', {}, VANILLA],
  [
    'get-vanilla-query-order-key-case',
    '/?Param2=value2&Param1=value1',
    {},
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-unreserved',
    `/${UNRESERVED}`,
    {},
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-header-value-trim',
    '/',
    { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
])('signs %s of the suite of AWS as the suite does', async (_, target, more, signature) => {
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z', ...more };
  const request = { method: 'GET', target, headers, payloadHash: NOTHING };
  const scope = { signedAtMs: Date.UTC(2015, 7, 30, 12, 36), region: 'us-east-1' };
  const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

  expect(await signatureOf(request, { ...scope, service: 'service' }, secret)).toBe(signature);
});

// Amazon S3 API reference, "Examples: Signature calculations in AWS Signature Version 4".
test.each<Case>([
  [
    'GET Object',
    '/test.txt',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'GET Bucket lifecycle',
    '/?lifecycle',
    {},
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET Bucket',
    '/?max-keys=2&prefix=J',
    {},
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('signs %s as the reference of Amazon S3 does', async (_, target, more, signature) => {
  const headers = {
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': NOTHING,
    'x-amz-date': '20130524T000000Z',
    ...more,
  };
  const request = { method: 'GET', target, headers, payloadHash: NOTHING };
  const scope = { signedAtMs: Date.UTC(2013, 4, 24), region: 'us-east-1', service: 's3' };
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

  expect(await signatureOf(request, scope, secret)).toBe(signature);
});
