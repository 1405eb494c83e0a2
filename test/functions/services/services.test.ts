import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Connect, withClient } from '../../../functions/aws/connections.ts';
import { processLog } from '../../../functions/log/process-log.ts';
import { createServices } from '../../../functions/services/services.ts';
import type { ClientConnection } from '../../../lib/gate/admitted-connection.ts';
import { startJsonService } from '../aws/json-service.ts';

const KEY = 'canary-key-4711';
const BEFORE = { ...process.env };
let secrets: Awaited<ReturnType<typeof startJsonService>>;
let stored = KEY;

beforeAll(async () => {
  secrets = await startJsonService(({ input }) =>
    input['SecretId'] === 'team/nobody'
      ? { error: 'ResourceNotFoundException' }
      : { ok: { VersionId: 'v1', SecretString: stored } },
  );
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    LEDGER_TABLE: 'ledger',
    SECRET_PREFIX: 'team/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: 'https://api.example.com', perPage: 7 },
      connections: { demo: { perPage: 9 } },
    }),
  });
});
afterAll(async () => {
  process.env = BEFORE;
  jest.restoreAllMocks();
  await secrets.close();
});

test('knows a connection by its settings or by its secret, and no other', async () => {
  const { isKnown } = createServices(withClient);

  expect(await isKnown('demo')).toBe(true);
  expect(await isKnown('only-a-secret')).toBe(true);
  expect(await isKnown('nobody')).toBe(false);
  expect(await isKnown('__proto__')).toBe(false);
  expect(secrets.calls.map(({ input }) => input['SecretId'])).toEqual([
    'team/only-a-secret',
    'team/nobody',
  ]);
});

test('gives a connection that is only a secret what is set for all', () => {
  const { settingsOf } = createServices(withClient);

  expect(settingsOf('demo').lists.get('customers')?.perPage).toBe(9);
  expect(settingsOf('only-a-secret').lists.get('customers')?.perPage).toBe(7);
  expect(settingsOf('__proto__').lists.get('customers')?.perPage).toBe(7);
});

test('no line of the log shows a key that was read', async () => {
  const lines: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const opened = await createServices(withClient).connections.open('demo', 'fresh');
  processLog.info('Said', { text: `the key is ${KEY}` });

  expect(opened.kind).toBe('open');
  expect(secrets.calls.at(-1)?.input).toMatchObject({ SecretId: 'team/demo' });
  expect(lines.join('')).toContain('the key is [redacted]');
  expect(lines.join('')).not.toContain('canary');
});

test('no line of the log shows a key that has the version of a former one', async () => {
  const lines: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const { connections } = createServices(withClient);
  await connections.open('demo', 'fresh');
  // The secret was deleted and made again, with the same ClientRequestToken.
  stored = 'other-key-0815';
  await connections.open('demo', 'fresh');
  processLog.info('Said', { text: `the keys are ${KEY} and ${stored}` });
  stored = KEY;

  expect(lines.join('')).toContain('the keys are [redacted] and [redacted]');
});

/** By whose clock this machine is wrong. */
async function startLedger(aheadMs: number) {
  const ledger = await startJsonService(() => ({
    ok: {},
    date: new Date(Date.now() + aheadMs).toUTCString(),
  }));
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = ledger.url;
  return ledger;
}

test('goes by the time of the ledger where this machine shows another one', async () => {
  const aheadMs = 7_200_000;
  const ledger = await startLedger(aheadMs);
  const services = createServices(withClient);
  const { clock, gates } = services;
  const unheardMs = clock.now() - Date.now();

  await gates.read('demo');

  expect(Math.abs(unheardMs)).toBeLessThan(1_000);
  // An answer tells whole seconds.
  expect(Math.abs(clock.now() - Date.now() - aheadMs)).toBeLessThan(2_000);
  await ledger.close();
});

test.each([7_200_000, -7_200_000])(
  'waits until a date by the time of the ledger, %i ms ahead of this machine',
  async (aheadMs) => {
    const ledger = await startLedger(aheadMs);
    const until = new Date(Date.now() + aheadMs + 60_000).toUTCString();
    const fetch = async () => new Response('', { status: 429, headers: { 'Retry-After': until } });
    const connect: Connect<ClientConnection> = (options, ...rest) =>
      withClient({ ...options, fetch }, ...rest);
    const { gates, connections } = createServices(connect);
    await gates.read('demo');
    const opened = await connections.open('demo', 'cached');
    if (opened.kind !== 'open') throw new Error(opened.message);

    const { retryAfterSeconds = 0 } = await opened.client.read({ resource: 'customers' });

    // An answer of the ledger tells whole seconds, and so does a date.
    expect(Math.abs(retryAfterSeconds - 60)).toBeLessThanOrEqual(3);
    await ledger.close();
  },
);
