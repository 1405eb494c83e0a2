import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { asynchronous } from '../../infra/command/try/memory-ledger.ts';
import { checkLog, FLIGHT_MS } from '../../infra/simulator/check-log.ts';
import { applyWrites } from '../../lib/writes/apply-write.ts';
import type { WritePorts } from '../../lib/writes/ports.ts';
import type { WriteMessage } from '../../lib/writes/write-request.ts';
import { MemoryQueue } from '../faults/writes/memory-queue.ts';
import { MemoryWriteLedger } from '../faults/writes/memory-write-ledger.ts';
import { portsOfClient } from '../functions/writes/one-client.ts';
import { startSimulatedApi } from '../lib/customers-api/simulated-api.ts';
import { settingsWith } from '../lib/writes/default-settings.ts';

/**
 * Sends writes to the API simulator in real time and prints what its log says: `node
 * test/bench/writes-throughput.ts [--writes 10000] [--rate 50] [--latency-ms 100]`. Ends with 1 when a
 * write was early, lost or doubled, or the throughput is below 90 % of the rate.
 */
const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '50' },
    'latency-ms': { type: 'string', default: '100' },
  },
});
const writes = Number(values.writes);
const ratePerSecond = Number(values.rate);

/** Those of the deployed queue: `maximumConcurrency` and `batchSize`. */
const CONCURRENCY = 5;
const BATCH_SIZE = 10;
const TIMEOUT_MS = 120_000;
/** Timers of a busy machine fire late: so many requests may come closer together than the rate. */
const BURST = ratePerSecond;

const { simulator, requests: client } = await startSimulatedApi({
  customers: 0,
  latencyMs: Number(values['latency-ms']),
  limit: { kind: 'token-bucket', ratePerSecond, burst: BURST },
});
const settings = settingsWith({
  operations: [
    { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  ],
  requestsPerSecond: ratePerSecond,
});
const ports = portsOf();
const queue = new MemoryQueue({
  clock: {
    now: Date.now,
    at: (atMs, run) => {
      const timer = setTimeout(run, Math.max(0, atMs - Date.now()));
      return () => {
        clearTimeout(timer);
        return true;
      };
    },
  },
  random: Math.random,
  concurrency: CONCURRENCY,
  batchSize: BATCH_SIZE,
  visibilityMs: 2 * TIMEOUT_MS,
  duplicates: 0,
  losses: 0,
  handle: (messages) => {
    const endsAtMs = Date.now() + TIMEOUT_MS;
    const invocation = { remainingMs: () => endsAtMs - Date.now() };
    return applyWrites(ports, () => settings, messages, invocation);
  },
});

const startedAtMs = Date.now();
for (let index = 0; index < writes; index++) queue.send(messageOf(index));
const effects = () => simulator.log.entries.filter(({ effect }) => effect !== undefined);
while (effects().length < writes && Date.now() - startedAtMs < (3_000 * writes) / ratePerSecond) {
  await delay(200);
}
const seconds = (Date.now() - startedAtMs) / 1000;
const check = checkLog(simulator.log.entries, { flightMs: FLIGHT_MS });
const done = new Set(effects().map(({ effect }) => effect?.reference)).size;
const share = done / seconds / ratePerSecond;
const result = {
  writes,
  done,
  seconds: Math.round(seconds * 10) / 10,
  perSecond: Math.round((done / seconds) * 10) / 10,
  shareOfRate: Math.round(share * 1000) / 1000,
  requests: check.requests,
  throttled: check.throttled,
  early: check.earlyRequests.length,
  doubled: check.doubleEffects.length,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
await simulator.close();
const isGood = done === writes && share >= 0.9 && result.early === 0 && result.doubled === 0;
process.exitCode = isGood ? 0 : 1;

function messageOf(index: number): WriteMessage {
  const writeId = `w${index}`;
  const bodyText = JSON.stringify({ reference: writeId, name: `Customer ${index}` });
  return {
    kind: 'request',
    request: { v: 1, connection: 'bench', writeId, operation: 'create', bodyText },
  };
}

function portsOf(): WritePorts {
  const memory = new MemoryWriteLedger();
  return {
    ...portsOfClient(client),
    ledger: asynchronous(memory),
    queue: { send: async (pointer, dueAtMs) => queue.send({ kind: 'pointer', pointer }, dueAtMs) },
  };
}
