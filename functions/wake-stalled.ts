import middy from '@middy/core';
import { wakeChanges } from '../lib/changes/wake-changes.ts';
import { wakeExports } from '../lib/exports/wake-exports.ts';
import { wakeWrites } from '../lib/writes/wake-writes.ts';
import { keyAlone } from './aws/connections.ts';
import { createUntoldExports } from './aws/ledger/export-items.ts';
import { errorFields } from './log/log.ts';
import { connectionWithNewKey } from './messages/new-key.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';
import { readVariable } from './services/environment.ts';
import {
  changeSweepMetrics,
  exportSweepMetrics,
  writeSweepMetrics,
} from './services/metric-values.ts';
import {
  createChangePortsIfDeployed,
  createExportPorts,
  createWritePortsIfDeployed,
} from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(keyAlone);
const exportPorts = createExportPorts(services);
const ledger = { ...exportPorts.ledger, ...createUntoldExports(services.table) };
const ports = { ...exportPorts, ledger };
const writePorts = createWritePortsIfDeployed(services);
const changePorts = createChangePortsIfDeployed(services);
const secretPrefix = readVariable('secretPrefix');

/**
 * Sets going again what stands still: on a schedule all of it, after a lost message or a crash; and when a
 * connection has a new key what that connection had stopped. Exports, writes and changes are looked for side by side: an
 * index that DynamoDB throttles, or hundreds of connections whose key cannot be read, keep one kind from no other.
 */
export const handler = middy().use(invocationLog()).handler(sweep);

async function sweep(event: unknown, context: LogContext): Promise<void> {
  const connection = connectionWithNewKey(event, secretPrefix);
  const ended = await Promise.allSettled([
    sweepExports(connection, context),
    sweepWrites(connection, context),
    // A new key changes nothing for what was read already.
    ...(connection === undefined ? [sweepChanges(context)] : []),
  ]);
  const failed = ended.filter((each) => each.status === 'rejected');
  const [first, ...others] = failed;
  // The log of the invocation has the one that is thrown.
  for (const { reason } of others) context.log.error('Sweep failed', errorFields(reason));
  if (first !== undefined) throw first.reason;
}

async function sweepExports(connection: string | undefined, context: LogContext): Promise<void> {
  const { log } = context;
  const swept = await wakeExports(ports, services.settingsOf, connection);
  for (const each of swept) {
    if (each.result === 'error') log.error('Sweep failed', { ...each });
    else log.info('Swept', { ...each });
  }
  const { ExportsFailed = 0, ...levels } = exportSweepMetrics(swept);
  // Levels of all connections: after the sweep of one they would be too low.
  const metrics = { ExportsFailed, ...(connection === undefined ? levels : {}) };
  log.info('Sweep', { unfinished: swept.length }, metrics);
}

async function sweepWrites(connection: string | undefined, context: LogContext): Promise<void> {
  if (writePorts === undefined) return;
  const { log } = context;
  const swept = await wakeWrites(writePorts, connection);
  for (const each of swept) {
    if (each.result === 'error') log.error('Sweep of a write failed', { ...each });
    else log.info('Swept write', { ...each });
  }
  if (connection !== undefined) return;
  let unclear: number | undefined;
  try {
    unclear = (await writePorts.ledger.listUnclear()).length;
  } finally {
    // What was found counts, though the index with the others cannot be read.
    const metrics = writeSweepMetrics(swept, unclear);
    log.info('Sweep of writes', { unfinished: swept.length }, metrics);
  }
}

async function sweepChanges({ log }: LogContext): Promise<void> {
  if (changePorts === undefined) return;
  const swept = await wakeChanges(changePorts);
  for (const each of swept) {
    if (each.result === 'error') log.error('Sweep of changes failed', { ...each });
    else log.info('Swept changes', { ...each });
  }
  log.info('Sweep of changes', { unfinished: swept.length }, changeSweepMetrics(swept));
}
