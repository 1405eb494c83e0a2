import middy from '@middy/core';
import { wakeStalled } from '../lib/exports/wake-stalled.ts';
import { createExportServices } from './export-services.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';

const { ports, settingsOf, log, redact } = createExportServices();

/** Sets going again what stands still: after a lost message, after a crash, and with a new key. */
export const handler = middy().use(invocationLog(log, redact)).handler(sweep);

async function sweep(_event: unknown, context: LogContext): Promise<void> {
  for (const swept of await wakeStalled(ports, settingsOf)) {
    if (swept.result === 'error') context.log.error('Sweep failed', { ...swept });
    else context.log.info('Swept', { ...swept });
  }
}
