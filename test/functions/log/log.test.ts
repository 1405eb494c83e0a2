import { expect, test } from '@jest/globals';
import { errorFields } from '../../../functions/log/log.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { KeyRedactor } from '../../../lib/key/redaction.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

const KEY = 'canary"Key+4711/Qx\\==';

test('writes one line of JSON a message, with the fields of the log and of the message', () => {
  const { log, lines } = recordedLog();

  log.with({ requestId: 'r' }).warn('Two\nlines', { pages: 3, absent: undefined });

  expect(lines).toEqual([
    '{"timestamp":"1970-01-01T00:00:00.007Z","level":"WARN","message":"Two\\nlines","requestId":"r","pages":3}\n',
  ]);
});

test('a log of a log has the fields of both, and those of a message are the strongest', () => {
  const { log, records } = recordedLog();

  log.with({ a: 1, b: 1, c: 1 }).with({ b: 2, c: 2 }).info('told', { c: 3 });

  expect(records()).toMatchObject([{ message: 'told', a: 1, b: 2, c: 3 }]);
});

test('takes three things of an error and nothing else', () => {
  const error = Object.assign(new Error('what'), { code: 'C', request: KEY, cause: KEY });

  expect(errorFields(error)).toEqual({ errorName: 'Error', errorCode: 'C', errorMessage: 'what' });
  expect(errorFields(KEY)).toEqual({ errorName: 'string' });
  expect(errorFields(undefined)).toEqual({ errorName: 'undefined' });
});

test('writes the first 1,000 characters of what an error says, cut behind what replaces a key', () => {
  const liveKeys = new KeyRedactor();
  const { log, records } = recordedLog(liveKeys.redact);
  liveKeys.add(ApiKey.from(KEY));
  const sayings = ['x'.repeat(5_000), `${'x'.repeat(990)}${KEY}`];

  for (const saying of sayings) {
    log.error(
      'Failed',
      errorFields(Object.assign(new Error(saying), { name: saying, code: saying })),
    );
  }

  const shown = ['x'.repeat(1_000), `${'x'.repeat(990)}[redacted]`];
  expect(records()).toMatchObject(
    shown.map((each) => ({ errorName: each, errorCode: each, errorMessage: each })),
  );
});

test.each([
  ['plain', KEY],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ key: KEY }))],
  ['in a URL', `https://x.example/?k=${encodeURIComponent(KEY)}`],
  ['in base64', Buffer.from(`user:${KEY}`).toString('base64')],
  ['in hex', Buffer.from(KEY).toString('hex')],
])('never writes a live key: %s', (_, leak) => {
  const liveKeys = new KeyRedactor();
  const { log, lines } = recordedLog(liveKeys.redact);
  liveKeys.add(ApiKey.from('another-key-of-another-one'));
  liveKeys.add(ApiKey.from(KEY));

  log.info(`leak ${leak}`, { field: leak, [leak]: true });
  log.with({ bound: leak }).error('bound', errorFields(new Error(leak)));

  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain('[redacted]');
    expect(line).not.toMatch(/canary|4711|Y2FuYXJ5|63616e617279/);
  }
});

test('still replaces a key that a newer version has replaced', () => {
  const liveKeys = new KeyRedactor();
  liveKeys.add(ApiKey.from('old-key-0815'));
  liveKeys.add(ApiKey.from('new-key-4711'));

  expect(liveKeys.redact('old-key-0815 new-key-4711')).toBe('[redacted] [redacted]');
});

test.each([
  ['a BigInt', 1n],
  ['what holds itself', selfHolding()],
  ['what cannot be printed', { toJSON: () => JSON.parse('none') }],
])('tells what happened, with its metrics, when a field of other code is %s', (_, field) => {
  const { log, records } = recordedLog();

  Reflect.apply(log.warn, log, ['Export cancelled', { reason: field }, { ExportsCancelled: 1 }]);

  expect(records()).toMatchObject([
    {
      level: 'WARN',
      message: 'Export cancelled',
      fields: expect.stringMatching('left out'),
      ExportsCancelled: 1,
    },
  ]);
});

function selfHolding(): object {
  const self = { self: {} };
  self.self = self;
  return self;
}
