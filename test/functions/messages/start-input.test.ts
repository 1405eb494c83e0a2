import { expect, test } from '@jest/globals';
import { parseStartInput } from '../../../functions/messages/start-input.ts';
import { exportIdOf } from '../../../lib/exports/export-id.ts';

test.each([
  { kind: 'schedule', scheduledTime: '2026-01-02T03:00:00Z' },
  { kind: 'event', eventId: '6a7e8feb-b491-4cf7-a9f1-bf3703467718' },
  { kind: 'request', idempotencyKey: 'mine' },
] as const)('names the export after its trigger: $kind', (trigger) => {
  expect(parseStartInput({ connection: 'demo', trigger }, 'r-1')).toEqual({
    connection: 'demo',
    exportId: exportIdOf('demo', trigger),
  });
});

test('takes the request id of Lambda for the trigger of a direct invocation', () => {
  expect(parseStartInput({ connection: 'demo' }, 'r-1').exportId).toBe(
    exportIdOf('demo', { kind: 'request', idempotencyKey: 'r-1' }),
  );
});

test.each([
  ['input', null],
  ['connection', {}],
  ['connection', { connection: 'Demo' }],
  ['conection', { conection: 'demo', connection: 'demo' }],
  ['trigger.kind', { connection: 'demo', trigger: { kind: 'other' } }],
  ['trigger.eventId', { connection: 'demo', trigger: { kind: 'event', eventId: '' } }],
])('fails naming %s', (setting, input) => {
  expect(() => parseStartInput(input, 'r-1')).toThrow(
    expect.objectContaining({ name: 'SettingError', setting }),
  );
});
