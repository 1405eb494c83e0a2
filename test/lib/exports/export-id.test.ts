import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseWakeUp } from '../../../functions/messages/wake-up.ts';
import { exportIdOf, type Trigger } from '../../../lib/exports/export-id.ts';

const trigger: fc.Arbitrary<Trigger> = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), idempotencyKey: fc.string() }),
  fc.record({ kind: fc.constant('schedule' as const), scheduledTime: fc.string() }),
  fc.record({ kind: fc.constant('event' as const), eventId: fc.string() }),
);

test('gives equal triggers equal ids that a wake-up can carry, whatever their own id holds', () => {
  fc.assert(
    fc.property(trigger, (each) => {
      const exportId = exportIdOf('acme', 'customers', each);
      expect(exportIdOf('acme', 'customers', structuredClone(each))).toBe(exportId);
      const body = JSON.stringify({ v: 1, connection: 'acme', exportId, step: 0 });
      expect(parseWakeUp(body).kind).toBe('value');
    }),
  );
});

test('gives other triggers, lists and connections other ids', () => {
  const ids = [
    exportIdOf('a', 'customers', { kind: 'request', idempotencyKey: 'x' }),
    exportIdOf('b', 'customers', { kind: 'request', idempotencyKey: 'x' }),
    exportIdOf('a', 'customers', { kind: 'request', idempotencyKey: 'y' }),
    exportIdOf('a', 'customers', { kind: 'event', eventId: 'x' }),
    exportIdOf('a', 'customers', { kind: 'schedule', scheduledTime: 'x' }),
    exportIdOf('a', 'invoices', { kind: 'schedule', scheduledTime: 'x' }),
    exportIdOf('a', 'b', { kind: 'schedule', scheduledTime: 'x' }),
    exportIdOf('b', 'a', { kind: 'schedule', scheduledTime: 'x' }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test('names no list in the id of a trigger for customers', () => {
  const exportId = exportIdOf('acme', 'customers', { kind: 'request', idempotencyKey: 'x' });

  expect(exportId).toBe('request-07fe51f66a736bc0b944');
});
