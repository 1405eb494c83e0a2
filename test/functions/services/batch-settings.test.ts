import { expect, test } from '@jest/globals';
import { batchSettings } from '../../../functions/services/batch-settings.ts';
import { connectionSettingsOf } from '../../../functions/services/connection-settings.ts';
import type { WriteMessage } from '../../../lib/writes/write-request.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

const table = { defaults: { requestsPerSecond: 5 }, connections: {} };
const allSettings = connectionSettingsOf(table, undefined);
const { write: settings } = allSettings;
const NO_KEY = { kind: 'no-key', reason: 'missing', message: 'There is no secret.' } as const;

/** Of a stack with the connections `plain`, `told` (its secret tells a rate) and `broken`. */
const services: Parameters<typeof batchSettings>[0] = {
  isKnown: async (connection) => {
    if (connection === 'broken') throw new Error('Secrets Manager is out of order');
    return connection === 'plain' || connection === 'told';
  },
  settingsOf: () => allSettings,
  connections: {
    open: async (connection) => {
      if (connection !== 'plain' && connection !== 'told') return NO_KEY;
      const rate = connection === 'told' ? { requestsPerSecond: 2 } : {};
      return { kind: 'open', keyVersion: 'v1', credential: 'v1/', ...rate };
    },
  },
};

const request = (connection: string): WriteMessage => ({
  kind: 'request',
  request: { v: 1, connection, writeId: 'w', operation: 'create' },
});
const pointer = (connection: string): WriteMessage => ({
  kind: 'pointer',
  pointer: { v: 1, connection, writeId: 'w', attempt: 1 },
});

test('the rate that a secret tells is stronger', async () => {
  const { log } = recordedLog();
  const messages = [request('plain'), pointer('told')];
  const of = await batchSettings(services, messages, log);

  expect(of(request('plain'))).toBe(settings);
  expect(of(pointer('told'))).toEqual({ ...settings, requestsPerSecond: 2 });
});

test('nothing is accepted for a connection that is not there, and what was accepted goes on', async () => {
  const { log } = recordedLog();

  for (const messages of [
    [request('gone')],
    [pointer('gone')],
    [pointer('gone'), request('gone')],
    [request('gone'), pointer('gone')],
  ]) {
    const of = await batchSettings(services, messages, log);
    for (const message of messages) {
      expect(of(message)).toBe(message.kind === 'pointer' ? settings : undefined);
    }
  }
});

test('an outage of Secrets Manager is left to who sends', async () => {
  const { log, records } = recordedLog();
  const of = await batchSettings(services, [request('broken')], log);

  expect(of(request('broken'))).toBe(settings);
  expect(records()).toMatchObject([{ level: 'WARN', connection: 'broken' }]);
});
