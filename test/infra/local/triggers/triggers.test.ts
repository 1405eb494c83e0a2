import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { checkLog } from '../../../../infra/simulator/check-log.ts';
import type { Simulator } from '../../../../infra/simulator/simulator.ts';
import { exportIdOf } from '../../../../lib/exports/export-id.ts';
import { isDeep } from '../../../deep/depth.ts';
import { checkDetail, schemaOf } from '../../../faults/check-event.ts';
import { until } from '../../../until.ts';
import { type StackWorld, startStackWorld } from '../stack-world.ts';
import { secretsOf } from '../whole-stack/assembly.ts';
import { type Operator, operatorOf } from '../whole-stack/operator.ts';
import { readStored } from '../whole-stack/stored-export.ts';
import { startKeptCustomers } from './kept-customers.ts';
import {
  LISTED,
  LISTED_CONNECTIONS,
  LISTED_FAULTS,
  LISTED_ORGANIZATIONS,
  LISTS,
  ListsWorld,
  REVOKED_KEY,
  SIZES,
  turnsIn,
  WAIT_SECONDS,
} from './lists-world.ts';

const KEYS = { timed: 'key-of-timed', asked: 'key-of-asked', late: 'key-of-late' } as const;
const WRONG_KEY = 'key-that-is-wrong';
const SUITE_TIMEOUT_MS = 180_000;

let world: StackWorld;
let api: Simulator;
let stack: LocalStack;
let lines: readonly string[];
let operator: Operator;
let bus: EventBridgeClient;
let lists: ListsWorld;
let livePage: ReturnType<ListsWorld['livePageDuringWait']>;

beforeAll(async () => {
  const apiOptions = {
    customers: 300,
    limit: { kind: 'token-bucket', ratePerSecond: 25, burst: 5 },
    faults: LISTED_FAULTS,
    organizations: [
      ...Object.entries(KEYS).map(([name, key]) => ({ name, key })),
      ...LISTED_ORGANIZATIONS,
    ],
  } as const;
  const connections = {
    timed: { schedule: 'rate(1 minute)', changes: { events: true, withRecord: true } },
    ...{ asked: {}, late: {}, other: {} },
    ...LISTED_CONNECTIONS,
  };
  const keys = {
    ...{ ...KEYS, late: WRONG_KEY, other: WRONG_KEY },
    ...{ ...LISTED, turned: REVOKED_KEY },
  };
  // The schedules fire as soon as the stack is there.
  const existing = { secrets: secretsOf(Object.entries(keys)) };
  world = await startStackWorld(apiOptions, { connections }, { existing });
  ({ api, stack, lines } = world);
  operator = operatorOf(stack);
  bus = new EventBridgeClient(stack.endpoint);
  lists = new ListsWorld(api, stack, operator);
  livePage = lists.livePageDuringWait();
}, SUITE_TIMEOUT_MS);
afterAll(async () => {
  // Also when only some of it was started.
  bus?.destroy();
  await world?.close();
});

async function request(detail: object): Promise<string> {
  const { Entries } = await bus.send(
    new PutEventsCommand({
      Entries: [
        {
          Source: 'customers-functions.requests',
          DetailType: 'Export Requested',
          Detail: JSON.stringify({ integration: stack.outputs['IntegrationId'], ...detail }),
        },
      ],
    }),
  );
  return Entries?.[0]?.EventId ?? '';
}

/** The detail of the first event of this type about an export. */
function told(detailType: string, exportId: string) {
  return until(`${detailType} of ${exportId}`, () => {
    const isIt = ({ event }: LocalStack['events'][number]) =>
      event['detail-type'] === detailType && event.detail['exportId'] === exportId;
    return stack.events.find(isIt)?.event.detail;
  });
}

/** The next event in the undelivered queue, which is gone from there then. */
async function takeUndelivered(): Promise<unknown> {
  const sqs = new SQSClient(stack.endpoint);
  const QueueUrl = String(stack.outputs['UndeliveredQueueUrl']);
  try {
    const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 });
    const { ReceiptHandle, Body = '' } = await until(
      'an undelivered event',
      async () => (await sqs.send(receive)).Messages?.[0],
    );
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return JSON.parse(Body);
  } finally {
    sqs.destroy();
  }
}

test(
  'a schedule written as rate(1 minute) starts an export by itself',
  async () => {
    const isTimed = ({ event }: LocalStack['events'][number]) =>
      event['detail-type'] === 'Export Completed' && event.detail['connection'] === 'timed';
    const { event } = await until('a timed export', () => stack.events.find(isTimed), {
      withinMs: 120_000,
    });

    const { detail } = event;
    expect(detail).toMatchObject({ customers: 300, completeness: 'complete' });
    expect(detail['exportId']).toMatch(/^schedule-/);
    checkDetail('completed', detail);
  },
  SUITE_TIMEOUT_MS,
);

test(
  'an event starts an export that is named after it',
  async () => {
    const eventId = await request({ v: 1, connection: 'asked' });

    const detail = await told(
      'Export Completed',
      exportIdOf('asked', 'customers', { kind: 'event', eventId }),
    );
    expect(detail).toMatchObject({ connection: 'asked', customers: 300 });
  },
  SUITE_TIMEOUT_MS,
);

test(
  'a new key sets going again at once what its connection had stopped, and no other connection',
  async () => {
    const exportId = exportIdOf('late', 'customers', {
      kind: 'event',
      eventId: await request({ v: 1, connection: 'late' }),
    });
    const otherId = exportIdOf('other', 'customers', {
      kind: 'event',
      eventId: await request({ v: 1, connection: 'other' }),
    });
    checkDetail('halted', await told('Export Halted', exportId));
    await told('Export Halted', otherId);
    const sweeps = lines.filter((line) => line.includes('"Swept"')).length;

    operator.storeKey('late', KEYS.late);

    expect(await told('Export Completed', exportId)).toMatchObject({ customers: 300 });
    const swept = lines.filter((line) => line.includes('"Swept"')).slice(sweeps);
    expect(swept).toHaveLength(1);
    expect(swept[0]).toContain('"connection":"late"');
    const other = await operator.watch('other', otherId, () => true);
    expect(other.status).toBe('halted');
  },
  SUITE_TIMEOUT_MS,
);

test(
  'an event for another integration starts nothing here, and one that names none is kept',
  async () => {
    const refusals = () =>
      lines.filter((line) => line.includes('Event sent to the undelivered queue'));
    await request({ v: 1, integration: 'Other', connection: 'other' });
    // Two, one after the other: what the first event brought is there when the second of them is.
    for (const count of [1, 2]) {
      await request({ v: 1, integration: undefined, connection: 'other' });
      await until(`refusal ${count}`, () => refusals().length >= count);
      expect(await takeUndelivered()).toHaveProperty('detail', { v: 1, connection: 'other' });
    }

    expect(refusals()).toHaveLength(2);
    expect(refusals()[0]).toContain('detail.integration: missing, unknown or wrong in an event');
  },
  SUITE_TIMEOUT_MS,
);

test(
  'an event that cannot be understood is logged, and ends in the undelivered queue as it was sent',
  async () => {
    await request({ v: 1, connection: 'asked', per_page: 7 });

    expect(await takeUndelivered()).toMatchObject({
      'detail-type': 'Export Requested',
      detail: { v: 1, connection: 'asked', per_page: 7 },
    });
    expect(lines.join('')).toContain('detail.per_page: missing, unknown or wrong in an event');
  },
  SUITE_TIMEOUT_MS,
);

/** What the API has, and what a consumer gets, of the export that this event is about. */
async function recordsOf({ connection, list, exportId }: Readonly<Record<string, unknown>>) {
  const resource = LISTS.find((each) => each === list);
  const key = connection === 'turns' ? LISTED.turns : LISTED.turned;
  if (resource === undefined) throw new Error(`there is no list ${list}`);
  const stored = await readStored(operator, String(connection), String(exportId), resource);
  return {
    stored: stored.records,
    truth: api.recordsOf(key, resource, { status: 'all' }),
  };
}

test(
  'three lists whose schedules fire at the same minute take turns under one limit, complete, never early, with one worker',
  async () => {
    const ends = await lists.firstEnds('turns');
    const log = lists.requests('turns');

    expect(ends).toEqual(LISTS.map(() => expect.objectContaining({ completeness: 'complete' })));
    expect(ends.map(({ exportId }) => exportId)).toEqual(
      LISTS.map(() => expect.stringMatching(/^schedule-/)),
    );
    const turns = turnsIn(log).slice(0, LISTS.length);
    expect(turns).toEqual(ends.map(({ list }) => list));
    expect(turns.toSorted()).toEqual(LISTS);
    for (const end of ends) {
      const { stored, truth } = await recordsOf(end);
      expect(stored).toEqual(truth);
    }
    const check = checkLog(log);
    expect(check).toMatchObject({ earlyRequests: [], maxConcurrent: 1 });
    expect(check.throttled).toBeGreaterThanOrEqual(1);
  },
  SUITE_TIMEOUT_MS,
);

test(
  'each list has a report of its records beside the manifest, and the tables read its export',
  async () => {
    for (const { list, exportId, manifestKey, customers } of await lists.firstEnds('turns')) {
      const folder = String(manifestKey).slice(0, -'manifest.json'.length);
      const schema = JSON.parse(await lists.object(`${folder}schema.json`));
      const about = { connection: 'turns', list, exportId, records: customers };
      expect(schema).toMatchObject({ ...about, record: { types: { object: customers } } });
      const manifest = JSON.parse(await lists.object(String(manifestKey)));
      const pointers = `tables/connection=turns/list=${list}/export=${exportId}/parts.txt`;
      const keys = [...(await lists.object(pointers)).matchAll(/^s3:\/\/[^/]+\/(.+)\n/gm)];
      expect(keys.map(([, key]) => ({ key }))).toMatchObject(
        manifest.parts.map(({ key }: { readonly key: string }) => ({ key })),
      );
    }
  },
  SUITE_TIMEOUT_MS,
);

test(
  'a wait that one list is told to make holds all lists of the connection, live pages too',
  async () => {
    await lists.firstEnds('turns');
    const log = lists.requests('turns');
    const throttle = log.find(({ retryAfterSeconds }) => retryAfterSeconds === WAIT_SECONDS);

    expect(throttle?.resource).toBe('invoices');
    const { n: toldAs = 0, notBefore = 0 } = throttle ?? {};
    const [next] = log.filter(({ n }) => n > toldAs);
    expect(next?.at).toBeGreaterThanOrEqual(notBefore);
    // It has kept its turn.
    expect(next?.resource).toBe('invoices');
    expect(await livePage).toBe(429);
  },
  SUITE_TIMEOUT_MS,
);

test(
  'a rejected key costs all lists of its connection one request; with a new key all go on in their order, and one that the API does not have fails alone',
  async () => {
    const [first] = await lists.startAll('turned');
    await told('Export Halted', first?.exportId ?? '');
    await lists.startAll('turned');
    const shown = await (await lists.call('turned/exports')).json();

    expect(shown).toMatchObject({
      exports: [{ list: 'customers', status: 'halted' }],
      queued: [
        { list: 'invoices', status: 'queued', place: 1 },
        { list: 'subscriptions', status: 'queued', place: 2 },
      ],
    });
    expect(lists.requests('turned').map(({ status }) => status)).toEqual([401]);

    operator.storeKey('turned', LISTED.turned);
    const ends = await lists.firstEnds('turned');

    expect(ends).toMatchObject([
      { list: 'customers', completeness: 'complete', customers: SIZES.customers },
      { list: 'invoices', reasonCode: 'refused' },
      { list: 'subscriptions', completeness: 'complete', customers: SIZES.subscriptions },
    ]);
    for (const end of ends.filter(({ list }) => list !== 'invoices')) {
      const { stored, truth } = await recordsOf(end);
      expect(stored).toEqual(truth);
    }
    const log = lists.requests('turned');
    expect(turnsIn(log)).toEqual(LISTS);
    expect(log.filter(({ resource }) => resource === 'invoices')).toHaveLength(1);
    expect(log.filter(({ keyId }) => keyId === 'turned/1')).toHaveLength(1);
    expect(checkLog(log)).toMatchObject({ earlyRequests: [], maxConcurrent: 1 });
  },
  SUITE_TIMEOUT_MS,
);

test(
  'a function of your own that receives the events of changed records has what the API has',
  async () => {
    const known = new Set<unknown>();
    const scheduled = () => {
      const look = () => timedEnds().find(({ exportId }) => !known.has(exportId));
      return until('a timed export', look, { withinMs: 120_000 });
    };
    await scheduled();
    // None runs when it is over, and the next one is scheduled for the next minute.
    const { exportId } = await operator.start('timed');
    const begun = await operator.watch('timed', exportId, ({ status }) => status === 'completed');
    const { records } = await readStored(operator, 'timed', exportId);
    const kept = await startKeptCustomers('timed', { records, startedAtMs: begun.startedAtMs });
    try {
      for (const end of [begun, ...timedEnds()]) known.add(end.exportId);
      const beforeMs = Date.now() - 1;
      api.edit(KEYS.timed, { inserts: 7, deletes: 9, updates: 20 });
      const truth = api.historyOf(KEYS.timed).between(beforeMs, Date.now());
      const next = isDeep ? await scheduled() : await operator.start('timed');
      const [added, changed, removed] = [truth.added.size, truth.changed.size, truth.removed.size];
      expect(await told('Changes Found', String(next.exportId))).toMatchObject({
        counts: { before: 300, now: 298, added, changed, removed },
      });
      const isOfIt = ({ event }: LocalStack['events'][number]) =>
        event['detail-type'].startsWith('Customer ') && event.detail['exportId'] === next.exportId;
      const received = await until('an event of each change', () => {
        const events = stack.events.filter(isOfIt).map(({ event }) => event);
        const ids = new Set(events.map(({ detail }) => detail['id']));
        return ids.size >= added + changed + removed && events;
      });
      for (const kind of ['added', 'changed', 'removed'] as const) {
        const ofKind = received.filter(({ detail }) => detail['kind'] === kind);
        expect(new Set(ofKind.map(({ detail }) => detail['recordId']))).toEqual(truth[kind]);
      }
      for (const { 'detail-type': type, detail } of received) {
        const isValid = schemaOf(type.toLowerCase().replace(' ', '-'));
        expect([isValid(detail), isValid.errors]).toEqual([true, null]);
      }
      const path = `timed/exports/${next.exportId}/changes?change=removed&records=true`;
      // Ids have more digits than a double holds.
      const shown = await (await lists.call(path)).text();
      const gone = [...shown.matchAll(/"change":"removed","id":(\d+)/g)].map(([, id]) => id);
      expect(new Set(gone)).toEqual(truth.removed);

      // In another order, and twice.
      const delivered = [...received, ...received].reverse();
      for (let from = 0; from < delivered.length; from += 10) {
        const batch = delivered.slice(from, from + 10);
        expect(await kept.receive(batch)).toEqual({ batchItemFailures: [] });
      }
      expect(await kept.customers()).toEqual([...api.recordsOf(KEYS.timed, 'customers')].sort());
    } finally {
      await kept.close();
    }
  },
  SUITE_TIMEOUT_MS,
);

/** The ends of the exports of `timed`, oldest first. */
function timedEnds() {
  return stack.events
    .map(({ event }) => event)
    .filter((event) => event['detail-type'] === 'Export Completed')
    .map(({ detail }) => detail)
    .filter(({ connection }) => connection === 'timed');
}
