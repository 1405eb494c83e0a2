import middy from '@middy/core';
import { wakeStalled } from '../lib/exports/wake-stalled.ts';
import { connectionWithNewKey } from './messages/new-key.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';
import { metricFields } from './middleware/metrics.ts';
import { createConnectionServices } from './services/connection-services.ts';
import { createControlServices } from './services/control-services.ts';
import { readVariable } from './services/environment.ts';
import { sweepMetrics } from './services/export-metrics.ts';
import { sweepWrites } from './services/sweep-writes.ts';
import { createWriteControlIfDeployed } from './services/write-services.ts';

const services = createConnectionServices();
const { ports, settingsOf, log, redact } = createControlServices(services);
const writes = createWriteControlIfDeployed(services, ports.connections);
const secretPrefix = readVariable('secretPrefix');

/**
 * Sets going again what stands still: on a schedule all of it, after a lost message or a crash; and when a
 * connection has a new key what that connection had stopped.
 */
export const handler = middy().use(invocationLog(log, redact)).handler(sweep);

async function sweep(event: unknown, context: LogContext): Promise<void> {
  const connection = connectionWithNewKey(event, secretPrefix);
  await sweepExports(connection, context);
  if (writes !== undefined) await sweepWrites(writes, connection, context);
}

async function sweepExports(connection: string | undefined, context: LogContext): Promise<void> {
  const swept = await wakeStalled(ports, settingsOf, connection);
  for (const each of swept) {
    if (each.result === 'error') context.log.error('Sweep failed', { ...each });
    else context.log.info('Swept', { ...each });
  }
  // Levels of all connections: after a look at one of them they would be too low.
  if (connection !== undefined) return;
  const metrics = metricFields(sweepMetrics(swept), context.functionName, ports.clock.now());
  context.log.info('Sweep', { unfinished: swept.length, ...metrics });
}
