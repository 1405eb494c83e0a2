import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { defined } from '../lib/defined.ts';
import { exportIdOf } from '../lib/exports/export-id.ts';
import { type FanOutReport, startAll } from '../lib/exports/start-all.ts';
import { startExport } from '../lib/exports/start-export.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { keyAlone } from './aws/connections.ts';
import { listConnections } from './aws/list-connections.ts';
import { createFanOutQueue, sqsClient } from './aws/queue.ts';
import { type FanOutMessage, parseFanOutMessage } from './messages/fan-out-message.ts';
import { eachMessage } from './middleware/each-message.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { metricFields } from './middleware/metrics.ts';
import { queueChain } from './middleware/queue-chain.ts';
import type { MessageAnswer } from './middleware/queue-messages.ts';
import { readVariable } from './services/environment.ts';
import { fanOutMetrics } from './services/metric-values.ts';
import { createExportPorts } from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(keyAlone);
const ports = createExportPorts(services);
const secrets = new SecretsManagerClient(CLIENT_SETTINGS);
const secretPrefix = readVariable('secretPrefix');
const queueUrl = readVariable('fanOutQueueUrl');
const queue = createFanOutQueue(sqsClient(), queueUrl);

/** A message of so many names takes 7 KB at most, so below the 64 KB that are billed as one. */
const NAMES_A_MESSAGE = 100;

/** Starts the exports of all connections that have a secret, or of what is left of them. */
export const handler = queueChain<FanOutMessage>({
  parse: parseFanOutMessage,
  queueUrl,
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(eachMessage(fanOut));

async function fanOut(message: FanOutMessage, context: LogContext): Promise<MessageAnswer> {
  const { scheduledTime, windowMinutes = 0, after, only } = message;
  const trigger = { kind: 'schedule', scheduledTime } as const;
  const report = await startAll(
    {
      clock: ports.clock,
      remainingMs: () => context.getRemainingTimeInMillis(),
      start: async (connection) => {
        const exportId = exportIdOf(connection, trigger);
        const settings = services.settingsOf(connection).export;
        const { kind } = await startExport(ports, settings, connection, exportId);
        return kind;
      },
    },
    {
      scheduledAtMs: Date.parse(scheduledTime),
      windowMs: only === undefined ? windowMinutes * 60_000 : 0,
      ...defined({ after }),
    },
    only ?? (await wanted(message, context)),
  );
  tell(report, context);
  return hand(message, report);
}

async function wanted({ except = [] }: FanOutMessage, { log }: LogContext) {
  const { connections, misnamed } = await listConnections(secrets, secretPrefix);
  const names = connections
    .filter(({ name, isOptedOut }) => !isOptedOut && !except.includes(name))
    .map(({ name }) => name);
  const leftOut = connections.length - names.length;
  log.info('Listed', { connections: connections.length, leftOut });
  if (misnamed.length > 0) {
    log.warn('Secrets under the prefix that are no connections', {
      count: misnamed.length,
      first: misnamed[0],
      reason: 'expected 1 to 63 small letters, digits and hyphens after the prefix',
    });
  }
  return names;
}

/** What is left goes on in a message of its own before this one is acknowledged, so nothing is lost. */
async function hand(
  message: FanOutMessage,
  { failed, rest }: FanOutReport,
): Promise<MessageAnswer> {
  const { v, scheduledTime, only } = message;
  const names = failed.map(({ connection }) => connection);
  // These have had their second chance: SQS repeats the message, and puts it aside at last.
  if (only !== undefined && (names.length > 0 || rest !== undefined)) return 'retry';
  for (let from = 0; from < names.length; from += NAMES_A_MESSAGE) {
    await queue.send({ v, scheduledTime, only: names.slice(from, from + NAMES_A_MESSAGE) }, 0);
  }
  if (rest === undefined) return 'acknowledge';
  const { after, delaySeconds } = rest;
  await queue.send({ ...message, ...defined({ after }) }, delaySeconds);
  return 'acknowledge';
}

function tell({ counts, failed, rest }: FanOutReport, { log, functionName }: LogContext): void {
  for (const each of failed) log.error('Start failed', { ...each });
  const metrics = metricFields(fanOutMetrics({ counts, failed }), functionName, ports.clock.now());
  log.info('Fan-out', { ...counts, failed: failed.length, isDone: rest === undefined, ...metrics });
}
