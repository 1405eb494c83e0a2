import { S3Client } from '@aws-sdk/client-s3';
import { CarriedPages } from '../lib/exports/carried-pages.ts';
import type { WakeUp } from '../lib/exports/ports.ts';
import { runStep } from '../lib/exports/run-step.ts';
import { storeClientSettings } from './aws/client-settings.ts';
import { withPages } from './aws/connections.ts';
import { createStore } from './aws/store.ts';
import { errorFields } from './log/log.ts';
import { parseWakeUp } from './messages/wake-up.ts';
import { handleEach } from './middleware/handle-each.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { queueChain } from './middleware/queue-chain.ts';
import { readVariable } from './services/environment.ts';
import { stepMetrics } from './services/metric-values.ts';
import { createExportPorts } from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(withPages);
const store = createStore(new S3Client(storeClientSettings()), readVariable('exportBucket'));
const ports = { ...createExportPorts(services), store, carried: new CarriedPages() };

/** Does one step of an export a message, and requeues the export until it is over. */
export const handler = queueChain<WakeUp>({
  parse: parseWakeUp,
  queueUrl: readVariable('exportQueueUrl'),
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(handleEach(doStep));

async function doStep(wakeUp: WakeUp, context: LogContext) {
  const rules = services.settingsOf(wakeUp.connection);
  const invocation = { remainingMs: () => context.getRemainingTimeInMillis() };
  const report = await runStep(ports, rules, wakeUp, invocation);
  const { answer, result, facts, error } = report;
  context.log.info('Step', { result, ...facts }, stepMetrics(report));
  if (error !== undefined) {
    const { exportId } = wakeUp;
    const fields = { exportId, ...errorFields(error) };
    if (answer === 'retry') context.log.error('Export not closed', fields);
    else context.log.error('Event not published', fields);
  }
  return answer;
}
