import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import type { Simulator } from '../../../../infra/simulator/simulator.ts';
import { until } from '../../../until.ts';
import { signedFetch } from '../signed-fetch.ts';
import { type StackWorld, startStackWorld } from '../stack-world.ts';
import { operatorOf } from '../whole-stack/operator.ts';
import { placesWithKey } from '../whole-stack/traces.ts';

/** With characters that encodings change. */
const KEY = 'key"of/demo+&<\\=%41~demo';
const CUSTOMERS = 60;
const SUITE_TIMEOUT_MS = 180_000;
const runbook = readFileSync(join(import.meta.dirname, '../../../../docs/runbook.md'), 'utf8');

let world: StackWorld;
let api: Simulator;
let stack: LocalStack;
let lines: readonly string[];
let operator: ReturnType<typeof operatorOf>;
let sqs: SQSClient;

beforeAll(async () => {
  const apiOptions = { customers: CUSTOMERS, organizations: [{ name: 'demo', key: KEY }] };
  const changes = { events: true, withRecord: true };
  world = await startStackWorld(apiOptions, { connections: { demo: { perPage: 20, changes } } });
  ({ api, stack, lines } = world);
  operator = operatorOf(stack);
  operator.storeKey('demo', KEY);
  sqs = new SQSClient(stack.endpoint);
}, SUITE_TIMEOUT_MS);
afterAll(async () => {
  sqs?.destroy();
  await world?.close();
});

const details = (...types: readonly string[]) => [
  ...new Map(
    stack.events
      .filter(({ event }) => types.includes(event['detail-type']))
      .map(({ event }) => [event.detail['id'], event.detail]),
  ).values(),
];
const RECORD_EVENTS = ['Customer Added', 'Customer Changed', 'Customer Removed'];
const ofExport = (exportId: string) => (detail: Readonly<Record<string, unknown>>) =>
  detail['exportId'] === exportId;

/** Exports the list, and waits for what is said of its changes. */
async function exported(): Promise<Readonly<Record<string, unknown>>> {
  const { exportId } = await operator.start('demo');
  const told = () => details('Changes Found', 'Changes Held').find(ofExport(exportId));
  const seen = () => lines.slice(-5);
  return until(`changes of ${exportId}`, told, { withinMs: 60_000, seen });
}

/** The list as an API that answers wrongly for a while shows it. */
async function exportedWrongly() {
  api.setFaults([{ when: { organization: 'demo' }, fault: { kind: 'half-list' } }]);
  const held = await exported();
  api.setFaults([]);
  expect(held).toMatchObject({
    kind: 'changes-held',
    removedPercent: 50,
    maxRemovedPercent: 10,
    counts: { before: CUSTOMERS, removed: CUSTOMERS / 2 },
  });
  await stack.idle();
  expect(details(...RECORD_EVENTS).filter(ofExport(String(held['exportId'])))).toEqual([]);
  return String(held['exportId']);
}

/** What a person sends by the command of the runbook, with another decision. */
function documentedMessage(exportId: string, decision: string): string {
  const [, body = ''] = /--message-body '(\{[^']*"decision"[^']*\})'/.exec(runbook) ?? [];
  expect(body).toContain('<export id>');
  const filled = body.replace('<connection>', 'demo').replace('<export id>', exportId);
  return filled.replace('"discard"', `"${decision}"`).replace('<your name>', 'Ada');
}

/** What the newest sweep wrote of the metrics of changes. */
async function sweptMetrics(): Promise<Readonly<Record<string, unknown>>> {
  const sweep = Object.entries(stack.resources).find(([id]) =>
    /^CustomersSweepFunction[0-9A-F]{8}$/.test(id),
  );
  await stack.invoke(sweep?.[1].name ?? '', {});
  const line = lines.findLast((each) => each.includes('"message":"Sweep of changes"'));
  return JSON.parse(line ?? '{}');
}

test(
  'half a list is told to nobody; the alarm sees it, and the documented message discards it',
  async () => {
    expect(await exported()).toMatchObject({ first: true, counts: { now: CUSTOMERS } });
    const exportId = await exportedWrongly();

    expect(await sweptMetrics()).toMatchObject({ ChangesHeld: 1, StalledChanges: 0 });

    await sqs.send(
      new SendMessageCommand({
        QueueUrl: String(stack.outputs['ChangeQueueUrl']),
        MessageBody: documentedMessage(exportId, 'discard'),
      }),
    );
    await stack.idle();
    expect(lines.join('')).toMatch(/"Changes decided".*"decision":"discard".*"by":"Ada"/);
    expect(await sweptMetrics()).toMatchObject({ ChangesHeld: 0 });
    // Nothing of it is left: the next one is compared with what was believed.
    const next = await exported();
    expect(next).toMatchObject({
      kind: 'changes-found',
      counts: { before: CUSTOMERS, now: CUSTOMERS, added: 0, changed: 0, removed: 0 },
    });
    expect(details(...RECORD_EVENTS)).toEqual([]);
  },
  SUITE_TIMEOUT_MS,
);

test(
  'released over HTTP, all of it is told, and then the records are told as they come back',
  async () => {
    const exportId = await exportedWrongly();
    const url = `${stack.httpApis[0]?.url}/connections/demo/exports/${exportId}/changes/decision`;
    const answer = await signedFetch(stack.endpoint, url, {
      method: 'POST',
      body: JSON.stringify({ decision: 'release' }),
    });
    expect(answer.status).toBe(200);
    const removed = () => details('Customer Removed').filter(ofExport(exportId));
    await until('all removals', () => removed().length === CUSTOMERS / 2, { withinMs: 60_000 });

    const back = await exported();
    expect(back).toMatchObject({ counts: { before: CUSTOMERS / 2, added: CUSTOMERS / 2 } });
    const added = () => details('Customer Added').filter(ofExport(String(back['exportId'])));
    await until('all additions', () => added().length === CUSTOMERS / 2, { withinMs: 60_000 });
    const idsOf = (all: readonly Readonly<Record<string, unknown>>[]) =>
      all.map(({ recordId }) => String(recordId)).sort();
    expect(idsOf(added())).toEqual(idsOf(removed()));
    for (const { record, recordIdJson } of added()) {
      expect(String(record)).toContain(String(recordIdJson));
    }
    await stack.idle();
    expect(details(...RECORD_EVENTS)).toHaveLength(CUSTOMERS);
    expect(stack.denied).toEqual([]);

    const objects = await operator.objects();
    const places = [
      ...lines.map((line, index) => [`log line ${index}`, line] as const),
      ['ledger', await operator.ledgerItems()] as const,
      ['events', JSON.stringify(stack.events)] as const,
      ...objects,
    ];
    // With files of changes, their summaries and the indexes of records.
    const names = objects.map(([name]) => name).join('\n');
    expect(names).toMatch(/changes-\d{5}-[0-9a-f]{16}\.ndjson\.gz$/m);
    expect(names).toMatch(/changes-[0-9a-f]{16}\.json$/m);
    expect(placesWithKey([KEY], places)).toEqual([]);
  },
  SUITE_TIMEOUT_MS,
);
