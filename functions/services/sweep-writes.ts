import { wakeWrites } from '../../lib/writes/wake-writes.ts';
import type { LogContext } from '../middleware/invocation-log.ts';
import { metricFields } from '../middleware/metrics.ts';
import { writeSweepMetrics } from './write-metrics.ts';
import type { WriteControl } from './write-services.ts';

/**
 * Sets going again the writes that stand still, and tells how many wait for a person.
 *
 * @param connection Only this one's, after a new key. @default - those of all connections
 */
export async function sweepWrites(
  { ports }: WriteControl,
  connection: string | undefined,
  { log, functionName }: LogContext,
): Promise<void> {
  const swept = await wakeWrites(ports, connection);
  for (const each of swept) {
    if (each.result === 'error') log.error('Sweep of a write failed', { ...each });
    else log.info('Swept write', { ...each });
  }
  // Levels of all connections, as for exports.
  if (connection !== undefined) return;
  const unclear = await ports.ledger.listUnclear();
  const values = writeSweepMetrics(swept, unclear.length);
  const metrics = metricFields(values, functionName, ports.clock.now());
  log.info('Sweep of writes', { unfinished: swept.length, ...metrics });
}
