import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { exportIdOf } from '../lib/exports/export-id.ts';
import { CUSTOMERS_LIST } from '../lib/exports/list-settings.ts';
import { startAll } from '../lib/exports/start-all.ts';
import { startExport } from '../lib/exports/start-export.ts';
import type { Connections, OpenKey } from '../lib/gate/ports.ts';
import { clientSettings } from './aws/client-settings.ts';
import { keyAlone } from './aws/connections.ts';
import { listScheduled } from './aws/list-connections.ts';
import { createQueue, sqsClient } from './aws/queue.ts';
import {
  type FanOutMessage,
  fanOutOf,
  fanOutRest,
  parseFanOutMessage,
  tooFarAhead,
} from './messages/fan-out-message.ts';
import type { MessageAnswer } from './messages/message.ts';
import { handleEach } from './middleware/handle-each.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { queueChain } from './middleware/queue-chain.ts';
import { readVariable } from './services/environment.ts';
import { fanOutMetrics } from './services/metric-values.ts';
import { createExportPorts } from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(keyAlone);
/**
 * The sweep resumes what is halted, and is called when there is a new key. So this function, which works for all
 * connections without being watched, has no right to read a key.
 */
const keys: Connections<OpenKey> = {
  open: async () => ({
    kind: 'no-key',
    reason: 'missing',
    message: 'The sweep looks for a new key.',
  }),
};
const ports = { ...createExportPorts(services), connections: keys };
const secrets = new SecretsManagerClient(clientSettings());
const secretPrefix = readVariable('secretPrefix');
const queueUrl = readVariable('fanOutQueueUrl');
const queue = createQueue(sqsClient(), queueUrl, services.clock);
/** No connection has such a name. */
const NO_ITEM = { connection: '-', sort: 'clock', schema: v.unknown() };

/** Starts the exports of one list of all connections that have a secret and the list, or of what is left of them. */
export const handler = queueChain<FanOutMessage>({
  parse: parseFanOutMessage,
  queueUrl,
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(handleEach(fanOut));

async function fanOut(message: FanOutMessage, context: LogContext): Promise<MessageAnswer> {
  const { log } = context;
  // Nothing is read: the answer sets our clock right, by which starts are due.
  await services.table.get(NO_ITEM);
  const deadLetterReason = tooFarAhead(message, ports.clock.now());
  if (deadLetterReason !== undefined) return { deadLetterReason };
  const { scheduledTime, list = CUSTOMERS_LIST, except = [], only } = message;
  const start = async (connection: string) => {
    const exportId = exportIdOf(connection, list, { kind: 'schedule', scheduledTime });
    const wanted = { connection, list, exportId };
    return (await startExport(ports, services.settingsOf(connection), wanted)).kind;
  };
  const remainingMs = () => context.getRemainingTimeInMillis();
  const names = only ?? (await listScheduled(secrets, secretPrefix, except, log));
  const withList = names.filter((name) => services.settingsOf(name).lists.has(list));
  const report = await startAll({ ...ports, remainingMs, start }, fanOutOf(message), withList);
  const { counts, failed, rest } = report;
  for (const each of failed) log.error('Start failed', { list, ...each });
  const facts = { list, ...counts, failed: failed.length, isDone: rest === undefined };
  log.info('Fan-out', facts, fanOutMetrics(report));
  const next = fanOutRest(message, report);
  // Sent before this one is acknowledged, so nothing is lost.
  for (const each of next ?? []) await queue.send(each.message, each.dueAtMs);
  return next === undefined ? 'retry' : 'acknowledge';
}
