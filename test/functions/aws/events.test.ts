import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createEventBus, createRecordBus } from '../../../functions/aws/events.ts';
import type { ExportEvent } from '../../../lib/exports/ports.ts';
import { checkDetail } from '../../faults/check-event.ts';
import { startJsonService } from './json-service.ts';
import { clientFor } from './test-clients.ts';

const event: ExportEvent = {
  id: 'demo/request-1/completed/4',
  kind: 'completed',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  connection: 'demo',
  list: 'invoices',
  exportId: 'request-1',
  pages: 2,
  customers: 150,
  manifestKey: 'exports/connection=demo/list=invoices/export=request-1/manifest.json',
  completeness: 'complete',
};

async function publishTo(answer: object, published = event) {
  await using service = await startService(answer);
  const bus = createEventBus(
    new EventBridgeClient(clientFor(service.url)),
    'default',
    'Team-North',
  );
  const outcome = await bus.publish(published).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { outcome, calls: service.calls };
}

async function startService(answer: object) {
  const service = await startJsonService(() => ({ ok: answer }));
  return { ...service, [Symbol.asyncDispose]: () => service.close() };
}

test('publishes the whole event with the version of its shape and who published it', async () => {
  const { outcome, calls } = await publishTo({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });

  expect(outcome).toBeUndefined();
  expect(calls).toEqual([
    {
      operation: 'PutEvents',
      input: {
        Entries: [
          {
            EventBusName: 'default',
            Source: 'customers-functions',
            DetailType: 'Export Completed',
            Time: event.atMs / 1000,
            Detail: JSON.stringify({ v: 1, integration: 'Team-North', ...event }),
          },
        ],
      },
    },
  ]);
});

test('fails when the bus refuses the entry, although the call succeeds', async () => {
  const entries = [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'canary' }];
  const { outcome } = await publishTo({ FailedEntryCount: 1, Entries: entries });

  expect(outcome).toMatchObject({ code: 'AWS_CALL_FAILED', awsCode: 'ThrottlingException' });
  expect(String(outcome)).not.toContain('canary');
});

const SentSchema = v.object({
  Entries: v.tuple([v.object({ DetailType: v.string(), Detail: v.string() })]),
});

const { manifestKey: _key, completeness: _verdict, ...common } = event;
const reason = { reasonCode: 'unavailable', reasonMessage: 'No answer. Start again.' };
test.each<[ExportEvent['kind'], string, ExportEvent]>([
  ['completed', 'Export Completed', event],
  ['failed', 'Export Failed', { ...common, kind: 'failed', ...reason, resumeAtMs: 7 }],
  ['halted', 'Export Halted', { ...common, kind: 'halted', ...reason, reasonCode: 'key-missing' }],
  ['throttled-long', 'Export Throttled Long', { ...common, kind: 'throttled-long', untilMs: 7 }],
])(
  'sends %s as "%s", with a detail that its schema allows',
  async (kind, detailType, published) => {
    const { calls } = await publishTo({ FailedEntryCount: 0 }, published);

    const [entry] = v.parse(SentSchema, calls[0]?.input).Entries;
    expect(entry.DetailType).toBe(detailType);
    checkDetail(kind, JSON.parse(entry.Detail));
  },
);

test('of many entries gives back those that are not known to be taken, and changes no text', async () => {
  const answer = {
    FailedEntryCount: 1,
    Entries: [{ EventId: '1' }, { ErrorCode: 'ThrottlingException' }, { EventId: '3' }],
  };
  await using service = await startService(answer);
  const bus = createRecordBus(new EventBridgeClient(clientFor(service.url)), 'default');
  const entries = ['{"a":1.10}', '{"a":2}', '{"a":3}', '{"a":4}'].map((detail) => ({
    detailType: 'Record Added' as const,
    detail,
    atMs: event.atMs,
  }));

  // Of the last one the answer says nothing.
  expect(await bus.put(entries)).toEqual([entries[1], entries[3]]);
  expect(service.calls).toMatchObject([
    {
      input: {
        Entries: entries.map(({ detail }) => ({ Detail: detail, Source: 'customers-functions' })),
      },
    },
  ]);
});
