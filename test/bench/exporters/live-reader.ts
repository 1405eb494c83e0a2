// Reads pages live, as a function of a user does, until it is told to stop; tells how long each read waited.
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { systemClock, systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { createConnections, withClient } from '../../../functions/aws/connections.ts';
import { createGates } from '../../../functions/aws/ledger/gates.ts';
import { LedgerTable } from '../../../functions/aws/ledger/ledger-table.ts';
import { randomOf } from '../../../infra/simulator/random.ts';
import { defined } from '../../../lib/defined.ts';
import { connectionListsOf } from '../../../lib/exports/connection-lists.ts';
import { createGatedClient } from '../../../lib/gate/gated-client.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { readKey } from './task.ts';

const TaskSchema = v.object({
  baseUrl: v.string(),
  connection: v.string(),
  ledger: v.object({ url: v.string(), table: v.string() }),
  perSecond: v.number(),
  requestsPerSecond: v.exactOptional(v.number()),
  /** Of the times between reads. */
  seed: v.number(),
});

const ANSWER_MS = 20_000;
const task = v.parse(TaskSchema, JSON.parse(process.argv[2] ?? ''));
const { connection, requestsPerSecond } = task;
const key = ApiKey.from(readKey());
const client = new DynamoDBClient({
  endpoint: task.ledger.url,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const table = new LedgerTable(client, task.ledger.table);
const connections = createConnections(
  {
    keyStore: { read: async () => ({ kind: 'key', key, keyVersion: 'v1' }) },
    apiSettingsOf: () => ({ baseUrl: task.baseUrl }),
    listsOf: () => new Map(),
  },
  withClient,
);
const random = randomOf(task.seed);
const stop = new AbortController();
process.stdin.once('end', () => stop.abort()).resume();

const waitsMs: number[] = [];
let refused = 0;
const reads = new Set<Promise<void>>();
const fromMs = performance.now();
for (let index = 0; !stop.signal.aborted; index++) {
  // Each at its own time, at random around it.
  const atMs = fromMs + ((index + random() * 2) * 1000) / task.perSecond;
  await delay(Math.max(0, atMs - performance.now()), undefined, { signal: stop.signal }).catch(
    () => undefined,
  );
  const read = readOnce().finally(() => reads.delete(read));
  reads.add(read);
}
await Promise.all(reads);
client.destroy();
process.stdout.write(`${JSON.stringify({ waitsMs, refused })}\n`);

async function readOnce(): Promise<void> {
  const askedAtMs = performance.now();
  let callsMs = 0;
  let sentAtMs = askedAtMs;
  const gates = createGates(table);
  /** What a call of the ledger takes is no wait. */
  const timed = async <T>(call: Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    const told = await call;
    callsMs += performance.now() - beganMs;
    return told;
  };
  const gated = createGatedClient({
    connection,
    lists: connectionListsOf({}, {}),
    gates: {
      ...gates,
      read: (...args) => timed(gates.read(...args)),
      changePlaces: (...args) => timed(gates.changePlaces(...args)),
    },
    connections: {
      open: async (...args) => {
        const opened = await connections.open(...args);
        if (opened.kind !== 'open') return opened;
        const { pagesOf } = opened.client;
        const timedPagesOf: typeof pagesOf = (...of) => {
          const ask = pagesOf(...of);
          return (...page) => {
            sentAtMs = performance.now();
            return ask(...page);
          };
        };
        return { ...opened, client: { ...opened.client, pagesOf: timedPagesOf } };
      },
    },
    clock: systemClock,
    random: systemRandom,
    recordMs: () => ANSWER_MS,
    onGateError: (error) => {
      throw error;
    },
    ...defined({ requestsPerSecond }),
  });
  const outcome = await gated.listPage({ page: 1, perPage: 1 });
  if (outcome.kind === 'page') waitsMs.push(Math.max(0, sentAtMs - askedAtMs - callsMs));
  else refused++;
}
