import { inspect } from 'node:util';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, expect, test } from '@jest/globals';
import { createKeyStore } from '../../../functions/aws/key-store.ts';
import { redactorOf } from '../../../lib/key/redaction.ts';
import { type JsonAnswer, startJsonService } from './json-service.ts';
import { clientFor } from './test-clients.ts';

const KEY = 'canary-Key+4711/Qx==';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function keyStoreWith(answer: () => JsonAnswer | Promise<JsonAnswer>) {
  const service = await startJsonService(answer);
  const client = new SecretsManagerClient(clientFor(service.url));
  closing.push(service.close, async () => client.destroy());
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const told: string[] = [];
  const keyStore = createKeyStore({
    client,
    secretPrefix: 'customers-api/',
    clock,
    onKey: (key) => told.push(redactorOf([key])(KEY)),
  });
  return { keyStore, clock, told, calls: service.calls };
}

const secret = (VersionId: string, SecretString = KEY): JsonAnswer => ({
  ok: { VersionId, SecretString },
});

/** All that could be printed of an outcome. */
function printed(outcome: unknown): string {
  const stack = outcome instanceof Error ? outcome.stack : '';
  return `${inspect(outcome, { depth: 9, showHidden: true })} ${JSON.stringify(outcome)} ${stack} ${outcome}`;
}

test('reads the secret under the prefix, with its version', async () => {
  const { keyStore, told, calls } = await keyStoreWith(() => secret('v1'));

  const stored = await keyStore.read('demo', 'cached');

  expect(stored).toMatchObject({ kind: 'key', keyVersion: 'v1' });
  expect(stored.kind === 'key' && redactorOf([stored.key])(KEY)).toBe('[redacted]');
  expect(calls).toEqual([
    { operation: 'GetSecretValue', input: { SecretId: 'customers-api/demo' } },
  ]);
  expect(told).toEqual(['[redacted]']);
  expect(printed(stored)).not.toContain('canary');
});

test('tells when the version was stored', async () => {
  const { keyStore } = await keyStoreWith(() => ({
    ok: { VersionId: 'v1', SecretString: KEY, CreatedDate: 1_763_985_600.123 },
  }));

  const stored = await keyStore.read('demo', 'cached');

  expect(stored).toMatchObject({ keyVersion: 'v1', createdAtMs: 1_763_985_600_123 });
});

test('counts the minute from before the key was asked for', async () => {
  const { keyStore, clock, calls } = await keyStoreWith(() => {
    clock.nowMs += 10_000;
    return secret('v1');
  });
  await keyStore.read('a', 'cached');
  clock.nowMs = 60_000;
  await keyStore.read('a', 'cached');
  expect(calls).toHaveLength(2);
});

test('remembers a key for a minute, each connection on its own', async () => {
  const { keyStore, clock, calls } = await keyStoreWith(() => secret('v1'));
  await keyStore.read('a', 'cached');
  clock.nowMs = 59_999;
  await keyStore.read('a', 'cached');
  expect(calls).toHaveLength(1);

  await keyStore.read('b', 'cached');
  expect(calls.map(({ input }) => input['SecretId'])).toEqual([
    'customers-api/a',
    'customers-api/b',
  ]);

  clock.nowMs = 60_000;
  await keyStore.read('a', 'cached');
  expect(calls).toHaveLength(3);
});

test('asks again when its clock was set back: nobody knows how old the key is', async () => {
  const { keyStore, clock, calls } = await keyStoreWith(() => secret('v1'));
  clock.nowMs = 100_000;
  await keyStore.read('demo', 'cached');
  clock.nowMs = 99_999;
  await keyStore.read('demo', 'cached');

  expect(calls).toHaveLength(2);
});

test('asks again when a fresh key is wanted, and remembers the new version', async () => {
  let version = 'v1';
  const { keyStore, told, calls } = await keyStoreWith(() => secret(version));
  await keyStore.read('demo', 'cached');
  version = 'v2';

  expect(await keyStore.read('demo', 'cached')).toMatchObject({ keyVersion: 'v1' });
  expect(await keyStore.read('demo', 'fresh')).toMatchObject({ keyVersion: 'v2' });
  expect(await keyStore.read('demo', 'cached')).toMatchObject({ keyVersion: 'v2' });

  expect(calls).toHaveLength(2);
  expect(told).toEqual(['[redacted]', '[redacted]']);
});

test('tells of the key in a secret that cannot be used', async () => {
  const { keyStore, told } = await keyStoreWith(() =>
    secret('v1', JSON.stringify({ apiKey: KEY, organization: KEY })),
  );

  expect(await keyStore.read('demo', 'cached')).toMatchObject({ kind: 'no-key' });
  expect(told).toEqual(['[redacted]']);
});

test('makes one call for reads at the same time', async () => {
  const { keyStore, calls } = await keyStoreWith(() => secret('v1'));

  const reads = Array.from({ length: 20 }, (_, n) =>
    keyStore.read('demo', n % 2 === 0 ? 'cached' : 'fresh'),
  );

  expect(new Set(await Promise.all(reads)).size).toBe(1);
  expect(calls).toHaveLength(1);
});

test('gives who wants a fresh key none of a read that began before', async () => {
  let version = 'v1';
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const { keyStore, clock, calls } = await keyStoreWith(async () => {
    const answer = secret(version);
    asked.resolve();
    await answered.promise;
    return answer;
  });
  const earlier = keyStore.read('demo', 'cached');
  await asked.promise;
  version = 'v2';
  clock.nowMs = 1;
  const reads = [1, 2, 3].map(() => keyStore.read('demo', 'fresh'));
  const joined = keyStore.read('demo', 'cached');
  answered.resolve();

  expect(await earlier).toMatchObject({ keyVersion: 'v1' });
  expect(await joined).toBe(await earlier);
  for (const each of reads) expect(await each).toMatchObject({ keyVersion: 'v2' });
  expect(calls).toHaveLength(2);
});

test('does not remember that there is no key, nor an outage', async () => {
  const answers: JsonAnswer[] = [
    { error: 'ResourceNotFoundException' },
    { error: 'AccessDeniedException' },
    secret('v1', 'with space'),
    secret('v2'),
  ];
  const { keyStore } = await keyStoreWith(() => answers.shift() ?? secret('v9'));

  expect(await keyStore.read('demo', 'cached')).toMatchObject({ reason: 'missing' });
  await expect(keyStore.read('demo', 'cached')).rejects.toThrow('AccessDenied');
  expect(await keyStore.read('demo', 'cached')).toMatchObject({
    reason: 'malformed',
    keyVersion: 'v1',
  });
  expect(await keyStore.read('demo', 'cached')).toMatchObject({ keyVersion: 'v2' });
});

test('forgets a key whose secret is gone', async () => {
  const answers: JsonAnswer[] = [secret('v1'), { error: 'ResourceNotFoundException' }];
  const { keyStore } = await keyStoreWith(() => answers.shift() ?? secret('v2'));
  await keyStore.read('demo', 'cached');
  expect(await keyStore.read('demo', 'fresh')).toMatchObject({ kind: 'no-key' });

  expect(await keyStore.read('demo', 'cached')).toMatchObject({ keyVersion: 'v2' });
});

test.each([
  [
    'a missing secret',
    { error: 'ResourceNotFoundException' },
    'missing',
    'There is no secret customers-api/demo',
  ],
  ['a deleted secret', { error: 'InvalidRequestException' }, 'missing', 'scheduled for deletion'],
  ['bytes', { ok: { VersionId: 'v1', SecretBinary: btoa(KEY) } }, 'malformed', 'holds bytes'],
  ['an empty secret', secret('v1', ''), 'malformed', 'is empty'],
  ['a cut JSON', secret('v1', `{"apiKey":"${KEY}`), 'malformed', 'not a JSON object'],
  ['a line break', secret('v1', `${KEY}\n`), 'malformed', 'line break'],
] satisfies [string, JsonAnswer, string, string][])(
  'tells %s as a value that says what to do and shows no key',
  async (_, answer, reason, message) => {
    const { keyStore } = await keyStoreWith(() => answer);

    const outcome = await keyStore.read('demo', 'cached');

    expect(outcome).toMatchObject({ kind: 'no-key', reason });
    expect(outcome).toMatchObject({ message: expect.stringContaining(message) });
    expect(printed(outcome)).not.toMatch(/canary|4711|Y2FuYXJ5/);
  },
);

test.each(['AccessDeniedException', 'DecryptionFailure', 'KMSAccessDeniedException'])(
  'throws for %s, without request, answer or cause',
  async (error) => {
    const { keyStore } = await keyStoreWith(() => ({ error, message: `canary ${KEY}` }));

    const outcome = await keyStore.read('demo', 'cached').catch((thrown: unknown) => thrown);

    expect(outcome).toMatchObject({
      name: 'AwsCallError',
      code: 'AWS_CALL_FAILED',
      awsCode: error,
    });
    expect(printed(outcome)).not.toMatch(/canary|4711|\$metadata|\$response|cause/);
  },
);

test('throws when Secrets Manager is down, after the repetitions of the SDK', async () => {
  const { keyStore, calls } = await keyStoreWith(() => ({
    error: 'InternalServiceError',
    status: 500,
  }));

  await expect(keyStore.read('demo', 'cached')).rejects.toMatchObject({ status: 500 });

  expect(calls).toHaveLength(3);
});
