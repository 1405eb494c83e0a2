import { applyWrites } from '../lib/writes/apply-write.ts';
import type { WriteReport } from '../lib/writes/write-report.ts';
import type { WriteMessage } from '../lib/writes/write-request.ts';
import { withClient } from './aws/connections.ts';
import { errorFields } from './log/log.ts';
import { writeAnswer } from './messages/write-answer.ts';
import { parseQueuedWrite } from './messages/write-requested.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { queueChain } from './middleware/queue-chain.ts';
import type { MessageResult, QueueMessages } from './middleware/queue-messages.ts';
import { batchSettings } from './services/batch-settings.ts';
import { readVariable } from './services/environment.ts';
import { createClientOf } from './services/gated-clients.ts';
import { writeMetrics } from './services/metric-values.ts';
import { createWritePorts } from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(withClient);
const writePorts = createWritePorts(services);
const { events } = writePorts;
const ports = {
  ...writePorts,
  clients: { of: createClientOf(services, { events, hasPlaces: true }) },
};

const integration = readVariable('integrationId');

/** Carries out the writes of a batch side by side, and requeues those that have to wait. */
export const handler = queueChain<WriteMessage>({
  parse: (text) => parseQueuedWrite(text, integration),
  queueUrl: readVariable('writeQueueUrl'),
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(apply);

async function apply(
  { messages }: QueueMessages<WriteMessage>,
  context: LogContext,
): Promise<readonly MessageResult[]> {
  const invocation = { remainingMs: () => context.getRemainingTimeInMillis() };
  const asked = messages.map(({ value }) => value);
  const settingsOf = await batchSettings(services, asked, context.log);
  const reports = await applyWrites(ports, settingsOf, asked, invocation);
  return messages.flatMap(({ messageId }, index) => {
    const report = reports[index];
    // A message without an answer comes back.
    if (report === undefined) return [];
    logReport(report, messageId, context);
    return [{ messageId, answer: writeAnswer(report) }];
  });
}

function logReport(report: WriteReport, messageId: string, { log }: LogContext): void {
  const { result, facts, reason, error } = report;
  const fields = { messageId, result, ...facts, ...(reason && { reason }) };
  const metrics = writeMetrics(report);
  if (result === 'error') log.error('Write', fields, metrics);
  else if (result === 'unclear') log.warn('Write', fields, metrics);
  else log.info('Write', fields, metrics);
  if (error !== undefined) {
    const { connection, writeId } = facts;
    log.error('Write not closed', { messageId, connection, writeId, ...errorFields(error) });
  }
}
