import { S3Client } from '@aws-sdk/client-s3';
import middy from '@middy/core';
import { readNewestComplete } from '../lib/exports/newest-complete.ts';
import { STORE_CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { createStore } from './aws/store.ts';
import { readMeasuredConnections, readVariable } from './environment.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';
import { metricFields } from './middleware/metrics.ts';
import { liveKeys, processLog } from './middleware/process-log.ts';

/** Reads at the same time: with S3's 20 to 50 ms a read, 2,000 connections take about 10 s. */
const READS_AT_ONCE = 10;

const store = createStore(new S3Client(STORE_CLIENT_SETTINGS), readVariable('exportBucket'));
const connections = readMeasuredConnections();

/**
 * Tells how old the newest complete export of each connection with a schedule is. Not a part of the sweep,
 * which runs every few minutes, has no right to the bucket and need not load the client for it.
 */
export const handler = middy().use(invocationLog(processLog, liveKeys.redact)).handler(measure);

async function measure(_event: unknown, context: LogContext): Promise<void> {
  let neverExported = 0;
  for (let from = 0; from < connections.length; from += READS_AT_ONCE) {
    const some = connections.slice(from, from + READS_AT_ONCE);
    const kinds = await Promise.all(some.map((connection) => measureOne(connection, context)));
    neverExported += kinds.filter((kind) => kind !== 'exported').length;
  }
  const values = { ConnectionsNeverExported: neverExported };
  const metrics = metricFields(values, context.functionName, systemClock.now());
  context.log.info('Measured', { connections: connections.length, ...metrics });
}

async function measureOne(connection: string, { log, functionName }: LogContext) {
  const nowMs = systemClock.now();
  const { kind, ...facts } = await readNewestComplete(store, connection, nowMs);
  const ageSeconds = 'ageSeconds' in facts ? facts.ageSeconds : undefined;
  const values = ageSeconds === undefined ? {} : { NewestCompleteAgeSeconds: ageSeconds };
  const metrics = metricFields(values, functionName, nowMs);
  log.info('Newest complete export', { connection, newest: kind, ...facts, ...metrics });
  return kind;
}
