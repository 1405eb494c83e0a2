import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createClientServices } from '../../functions/client-services.ts';
import { processLog } from '../../functions/middleware/process-log.ts';
import { startJsonService } from './aws/json-service.ts';

const KEY = 'canary-key-4711';
const BEFORE = { ...process.env };
let secrets: Awaited<ReturnType<typeof startJsonService>>;

beforeAll(async () => {
  secrets = await startJsonService(() => ({ ok: { VersionId: 'v1', SecretString: KEY } }));
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    LEDGER_TABLE: 'ledger',
    SECRET_PREFIX: 'team/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: 'https://api.example.com', perPage: 7 },
      connections: { demo: {} },
    }),
  });
});
afterAll(async () => {
  process.env = BEFORE;
  jest.restoreAllMocks();
  await secrets.close();
});

test('knows the connections of the stack, and no other', () => {
  const { settingsOf } = createClientServices();

  expect(settingsOf('demo')?.export.perPage).toBe(7);
  expect(settingsOf('nobody')).toBeUndefined();
  expect(settingsOf('__proto__')).toBeUndefined();
});

test('no line of the log shows a key that was read', async () => {
  const lines: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const opened = await createClientServices().connections.open('demo', 'fresh');
  processLog.info('Said', { text: `the key is ${KEY}` });

  expect(opened.kind).toBe('open');
  expect(secrets.calls[0]?.input).toMatchObject({ SecretId: 'team/demo' });
  expect(lines.join('')).toContain('the key is [redacted]');
  expect(lines.join('')).not.toContain('canary');
});
