import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import middy from '@middy/core';
import {
  isWithin,
  type Measured,
  measureConnections,
  readNewestComplete,
} from '../lib/exports/measure-connections.ts';
import { clientSettings, storeClientSettings } from './aws/client-settings.ts';
import { systemClock } from './aws/clock-and-random.ts';
import { type ConnectionList, listConnections } from './aws/list-connections.ts';
import { createStore } from './aws/store.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';
import { type MeasuredExports, readMeasured, readVariable } from './services/environment.ts';
import { ageMetrics } from './services/metric-values.ts';

/** Reads at the same time: with S3's 20 to 50 ms a read, 10,000 lists take about 15 s. */
const READS_AT_ONCE = 32;

const store = createStore(new S3Client(storeClientSettings()), readVariable('exportBucket'));
const secrets = new SecretsManagerClient(clientSettings());
const secretPrefix = readVariable('secretPrefix');
const { exports, overdueHours } = readMeasured();

/**
 * Tells how old the newest completed export of each list with a schedule is: a line of the log for each, and
 * metrics of all together, since a metric costs $0.30 a month. Not a part of the sweep, which runs every few
 * minutes, has no right to the bucket and need not load the client for it.
 */
export const handler = middy().use(invocationLog()).handler(measure);

async function measure(_event: unknown, { log }: LogContext): Promise<void> {
  const { connections } = await listConnections(secrets, secretPrefix);
  const createdAtMs = new Map(connections.map((each) => [each.name, each.createdAtMs]));
  const running = exports.filter((each) => isWithin(each, systemClock.now()));
  const left = running.flatMap((each) => exportsIn(each, connections));
  const measured: Measured[] = [];
  const measureSome = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { startMs, ...place } = next;
      const newest = await readNewestComplete(store, place, systemClock.now());
      const { kind, ...facts } = newest;
      log.info('Newest completed export', { ...place, newest: kind, ...facts });
      measured.push({ newest, startMs, createdAtMs: createdAtMs.get(place.connection) });
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, measureSome));
  const ages = measureConnections(measured, systemClock.now(), overdueHours);
  log.info('Measured', { lists: measured.length }, ageMetrics(ages));
}

/** @param listed Connections that have a secret. */
function exportsIn(
  { lists, all, names, except, own, startMs }: MeasuredExports,
  listed: ConnectionList['connections'],
) {
  const others = all ? listed.map(({ name }) => name).filter((name) => !except.includes(name)) : [];
  const off = new Set(listed.filter(({ isOptedOut }) => isOptedOut).map(({ name }) => name));
  const connections = [...new Set([...names, ...others])].filter((name) => own || !off.has(name));
  return connections.flatMap((connection) => lists.map((list) => ({ connection, list, startMs })));
}
