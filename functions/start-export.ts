import middy from '@middy/core';
import { startExport } from '../lib/exports/start-export.ts';
import { SettingError } from '../lib/index.ts';
import { createExportServices } from './export-services.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';
import { parseStartInput } from './start-input.ts';

const { ports, settingsOf, log, redact } = createExportServices();

/** Starts an export of a connection, or joins the one that runs. Repeating a trigger starts nothing new. */
export const handler = middy().use(invocationLog(log, redact)).handler(start);

async function start(input: unknown, context: LogContext) {
  const { connection, exportId: wantedId } = parseStartInput(input, context.awsRequestId);
  const settings = settingsOf(connection);
  if (settings === undefined) {
    throw new SettingError('connection', `${connection} is not a connection of this stack`);
  }
  const { kind, state } = await startExport(ports, settings, connection, wantedId);
  const answer = { result: kind, connection, exportId: state.exportId, status: state.status };
  context.log.info('Start', answer);
  return answer;
}
