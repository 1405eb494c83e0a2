import { expect, test } from '@jest/globals';
import { parseStartInput } from '../../../functions/messages/start-input.ts';
import { exportIdOf } from '../../../lib/exports/export-id.ts';

const SELF = { requestId: 'r-1', integration: 'Team' };

test.each([
  { kind: 'schedule', scheduledTime: '2026-01-02T03:00:00Z' },
  { kind: 'event', eventId: '6a7e8feb-b491-4cf7-a9f1-bf3703467718' },
  { kind: 'request', idempotencyKey: 'mine' },
] as const)('names the export after its trigger: $kind', (trigger) => {
  expect(parseStartInput({ connection: 'demo', trigger }, SELF)).toEqual({
    connection: 'demo',
    list: 'customers',
    exportId: exportIdOf('demo', 'customers', trigger),
  });
});

test('takes the list that is named, whose exports have other ids', () => {
  const trigger = { kind: 'schedule', scheduledTime: '2026-01-02T03:00:00Z' } as const;
  const input = { connection: 'demo', list: 'invoices', trigger };

  expect(parseStartInput(input, SELF)).toEqual({
    connection: 'demo',
    list: 'invoices',
    exportId: exportIdOf('demo', 'invoices', trigger),
  });
  expect(exportIdOf('demo', 'invoices', trigger)).not.toBe(
    exportIdOf('demo', 'customers', trigger),
  );
});

test('takes the request id of Lambda for the trigger of a direct invocation', () => {
  expect(parseStartInput({ connection: 'demo' }, SELF).exportId).toBe(
    exportIdOf('demo', 'customers', { kind: 'request', idempotencyKey: 'r-1' }),
  );
});

test.each([
  ['input', null],
  ['connection', {}],
  ['connection', { connection: 'Demo' }],
  ['list', { connection: 'demo', list: 'In voices' }],
  ['conection', { conection: 'demo', connection: 'demo' }],
  ['trigger.kind', { connection: 'demo', trigger: { kind: 'other' } }],
  ['trigger.eventId', { connection: 'demo', trigger: { kind: 'event', eventId: '' } }],
])('fails naming %s', (setting, input) => {
  expect(() => parseStartInput(input, SELF)).toThrow(
    expect.objectContaining({ name: 'SettingError', setting }),
  );
});

test.each([undefined, 'Other', 'team', 7])(
  'refuses an event that names the integration %p, and says which one this is',
  (integration) => {
    const event = {
      id: 'e-1',
      source: 'customers-functions.requests',
      'detail-type': 'Export Requested',
      detail: { v: 1, integration, connection: 'demo' },
    };
    const problem = { setting: 'detail.integration', message: expect.stringContaining('"Team"') };

    expect(() => parseStartInput(event, SELF)).toThrow(expect.objectContaining(problem));
  },
);

/** An event that asks for an export, as EventBridge hands it over. */
const asked = (own: object = {}) => ({
  ...{ id: 'e-1', source: 'customers-functions.requests', 'detail-type': 'Export Requested' },
  detail: { v: 1, integration: 'Team', connection: 'demo' },
  ...own,
});

test('names the export that an event asks for after the event, and after no request with that id', () => {
  const eventId = 'e-1';
  const { exportId } = parseStartInput(asked(), SELF);

  expect(exportId).toBe(exportIdOf('demo', 'customers', { kind: 'event', eventId }));
  expect(exportId).not.toBe(
    exportIdOf('demo', 'customers', { kind: 'request', idempotencyKey: eventId }),
  );
});

test.each([
  ['source', { source: 'customers-functions' }],
  ['detail-type', { 'detail-type': 'Export Completed' }],
  ['id', { id: '' }],
  ['id', { id: 'e'.repeat(257) }],
])('takes no event for one that asks for an export by another %s', (setting, own) => {
  expect(() => parseStartInput(asked(own), SELF)).toThrow(expect.objectContaining({ setting }));
});
