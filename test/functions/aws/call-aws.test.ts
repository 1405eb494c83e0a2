import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { callAws, isAwsCode } from '../../../functions/aws/call-aws.ts';

async function failWith(members: object): Promise<unknown> {
  const error = Object.assign(new Error('canary'), members);
  return callAws('SQS SendMessage', () => Promise.reject(error)).catch((thrown: unknown) => thrown);
}

test('gives what the call gives', async () => {
  expect(await callAws('SQS SendMessage', async () => 7)).toBe(7);
});

test.each([
  [
    'a denied access',
    {
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400, requestId: 'r-1' },
      $response: { headers: { 'API-KEY': 'canary' } },
      cause: 'canary',
    },
    "SQS SendMessage failed: AccessDeniedException (status 400, request id r-1). Compare the role of the function, and the resource's own policy, with what the stack grants.",
  ],
  [
    'a refused connection',
    { code: 'ECONNREFUSED', address: 'canary' },
    'SQS SendMessage failed: ECONNREFUSED. The message comes back and the work is tried again; look at the state of the service if it lasts.',
  ],
  [
    'an error of Node.js with a code',
    { name: 'TypeError', code: 'ERR_INVALID_URL' },
    'SQS SendMessage failed: ERR_INVALID_URL. The message comes back and the work is tried again; look at the state of the service if it lasts.',
  ],
  [
    'a disabled KMS key',
    { name: 'DecryptionFailure' },
    'SQS SendMessage failed: DecryptionFailure. Look whether the KMS key is enabled and its policy lets the role of the function use it.',
  ],
  [
    'a name that is a sentence',
    { name: 'canary was sent here' },
    'SQS SendMessage failed: UnknownError. The message comes back and the work is tried again; look at the state of the service if it lasts.',
  ],
])('says what to do about %s and keeps nothing else', async (_, members, message) => {
  const error = await failWith(members);

  expect(error).toMatchObject({ name: 'AwsCallError', code: 'AWS_CALL_FAILED', message });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
});

test.each([undefined, null, 'canary', 7])('takes anything thrown: %p', async (thrown) => {
  const call = callAws('S3 PutObject', () => Promise.reject(thrown));

  await expect(call).rejects.toThrow(/^S3 PutObject failed: UnknownError\. /);
});

test('tells outcomes apart by their code alone', async () => {
  const error = await failWith({ name: 'NoSuchKey' });

  expect(isAwsCode(error, 'PreconditionFailed', 'NoSuchKey')).toBe(true);
  expect(isAwsCode(error, 'PreconditionFailed')).toBe(false);
  expect(isAwsCode(new Error('NoSuchKey'), 'NoSuchKey')).toBe(false);
});

test('an error that tells what failed already is passed on as it is', async () => {
  const error = await failWith({ name: 'NoSuchKey' });

  await expect(callAws('S3 GetObject', () => Promise.reject(error))).rejects.toBe(error);
});
