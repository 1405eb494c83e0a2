import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import middy from '@middy/core';
import { invocationLog, type LogContext } from '../../../functions/middleware/invocation-log.ts';
import { SettingError } from '../../../lib/errors.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { KeyRedactor } from '../../../lib/key/redaction.ts';
import { lambdaContext } from './lambda-context.ts';
import { recordedLog } from './recorded-log.ts';

const KEY = 'canary-key-4711';

function invoke(handle: (context: LogContext) => unknown) {
  const liveKeys = new KeyRedactor();
  liveKeys.add(ApiKey.from(KEY));
  const { log, records, lines } = recordedLog(liveKeys.redact);
  const handler = middy()
    .use(invocationLog(log, liveKeys.redact))
    .handler(async (_event: unknown, context: LogContext) => handle(context));
  return { answer: handler({}, { ...lambdaContext(), log }), records, lines };
}

test('gives the handler a log with the request id', async () => {
  const { answer, records } = invoke((context) => context.log.info('Hello'));
  await answer;

  expect(records()).toMatchObject([{ message: 'Hello', requestId: 'request-1' }]);
});

test('logs an error and lets it out without its members, cause, stack and keys', async () => {
  const planted = Object.assign(new TypeError(`bad ${KEY}`, { cause: new Error(KEY) }), {
    request: { headers: { 'API-KEY': KEY } },
  });
  const { answer, records, lines } = invoke(() => {
    throw planted;
  });

  const thrown: unknown = await answer.catch((error: unknown) => error);

  expect(thrown).toMatchObject({ name: 'TypeError', message: 'bad [redacted]' });
  expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain(KEY);
  expect(inspect(thrown)).not.toContain('invocation-log.test.ts');
  expect(records()).toMatchObject([
    {
      level: 'ERROR',
      message: 'Invocation failed',
      errorName: 'TypeError',
      requestId: 'request-1',
    },
  ]);
  expect(lines.join()).not.toContain(KEY);
});

test('lets out no part of a key at which a long message is cut, and none in the name', async () => {
  const { answer } = invoke(() => {
    throw Object.assign(new Error(`${'x'.repeat(995)}${KEY}`), { name: `Key ${KEY}` });
  });

  const thrown: unknown = await answer.catch((error: unknown) => error);

  expect(thrown).toMatchObject({ name: 'Key [redacted]', message: `${'x'.repeat(995)}[reda` });
  expect(inspect(thrown)).not.toContain('canary');
});

test('lets out no more of a name than of a message', async () => {
  const { answer } = invoke(() => {
    throw Object.assign(new Error('what'), { name: 'N'.repeat(300_000) });
  });

  await expect(answer).rejects.toHaveProperty('name', 'N'.repeat(1_000));
});

test('keeps the name and the message of our own errors', async () => {
  const { answer } = invoke(() => {
    throw new SettingError('connection', 'expected text');
  });

  await expect(answer).rejects.toMatchObject({
    name: 'SettingError',
    message: 'connection: expected text',
  });
});

test('logs and lets out an error of which nothing can be read', async () => {
  const hides = () => {
    throw new Error(KEY);
  };
  const members = ['name', 'message', 'code', 'stack', 'cause', 'toString', 'toJSON'];
  const hidden = Object.defineProperties(
    new Error(),
    Object.fromEntries(members.map((member) => [member, { get: hides }])),
  );
  const { answer, records, lines } = invoke(() => {
    throw hidden;
  });

  const thrown: unknown = await answer.catch((error: unknown) => error);

  expect(thrown).toMatchObject({ name: 'object', message: 'no message' });
  expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain(KEY);
  expect(records()).toMatchObject([{ message: 'Invocation failed', errorName: 'object' }]);
  expect(lines.join()).not.toContain(KEY);
});
