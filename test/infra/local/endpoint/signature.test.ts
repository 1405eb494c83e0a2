import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { signatureOf } from '../../../../infra/local/endpoint/signature.ts';

type Headers = readonly (readonly [string, readonly string[]])[];

const sign = (
  [method, target, headers, body]: readonly [string, string, Headers, string],
  scope: { amzDate: string; region: string; service: string },
  secret: string,
) =>
  signatureOf(
    { method, target, headers, payloadHash: hash('sha256', body) },
    scope,
    secret,
  ).toString('hex');

const SUITE_SCOPE = { amzDate: '20150830T123600Z', region: 'us-east-1', service: 'service' };
const SUITE_SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const SUITE_HEADERS: Headers = [
  ['host', ['example.amazonaws.com']],
  ['x-amz-date', ['20150830T123600Z']],
];
const VANILLA = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';

// The test suite of AWS for Signature Version 4 (aws-sig-v4-test-suite), by the names of its cases.
test.each<[string, readonly [string, string, Headers, string], string]>([
  ['get-vanilla', ['GET', '/', SUITE_HEADERS, ''], VANILLA],
  ['get-relative', ['GET', '/example/..', SUITE_HEADERS, ''], VANILLA],
  ['get-slashes-only', ['GET', '//', SUITE_HEADERS, ''], VANILLA],
  [
    'post-vanilla',
    ['POST', '/', SUITE_HEADERS, ''],
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'get-vanilla-query-order-key-case',
    ['GET', '/?Param2=value2&Param1=value1', SUITE_HEADERS, ''],
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-unreserved',
    [
      'GET',
      '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      SUITE_HEADERS,
      '',
    ],
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-header-value-trim',
    [
      'GET',
      '/',
      [
        ['host', ['example.amazonaws.com']],
        ['my-header1', [' value1']],
        ['my-header2', [' "a   b   c"']],
        ['x-amz-date', ['20150830T123600Z']],
      ],
      '',
    ],
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
])('signs %s of the suite of AWS as the suite does', (_, request, signature) => {
  expect(sign(request, SUITE_SCOPE, SUITE_SECRET)).toBe(signature);
});

const S3_SCOPE = { amzDate: '20130524T000000Z', region: 'us-east-1', service: 's3' };
const S3_SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const s3Headers = (body: string, ...more: Headers): Headers => [
  ['host', ['examplebucket.s3.amazonaws.com']],
  ['x-amz-content-sha256', [hash('sha256', body)]],
  ['x-amz-date', ['20130524T000000Z']],
  ...more,
];

// Amazon S3 API reference, "Examples: Signature calculations in AWS Signature Version 4".
test.each<[string, readonly [string, string, Headers, string], string]>([
  [
    'GET Object',
    ['GET', '/test.txt', s3Headers('', ['range', ['bytes=0-9']]), ''],
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT Object',
    [
      'PUT',
      '/test%24file.text',
      s3Headers(
        'Welcome to Amazon S3.',
        ['date', ['Fri, 24 May 2013 00:00:00 GMT']],
        ['x-amz-storage-class', ['REDUCED_REDUNDANCY']],
      ),
      'Welcome to Amazon S3.',
    ],
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET Bucket lifecycle',
    ['GET', '/?lifecycle', s3Headers(''), ''],
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET Bucket',
    ['GET', '/?max-keys=2&prefix=J', s3Headers(''), ''],
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('signs %s as the reference of Amazon S3 does', (_, request, signature) => {
  expect(sign(request, S3_SCOPE, S3_SECRET)).toBe(signature);
});
