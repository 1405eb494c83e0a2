import middy from '@middy/core';
import { SettingError } from '../lib/errors.ts';
import { startExport } from '../lib/exports/start-export.ts';
import { keyAlone } from './aws/connections.ts';
import { createDeadLetters, sqsClient } from './aws/queue.ts';
import { isBusEvent } from './messages/export-requested.ts';
import { parseStartInput } from './messages/start-input.ts';
import { invocationLog, type LogContext } from './middleware/invocation-log.ts';
import { readVariable } from './services/environment.ts';
import { createExportPorts } from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(keyAlone);
const ports = createExportPorts(services);
const integration = readVariable('integrationId');
const undelivered = createDeadLetters(sqsClient(), readVariable('deadLetterQueueUrl'));

/** Starts an export of a connection, or joins the one that runs. Repeating a trigger starts nothing new. */
export const handler = middy().use(invocationLog()).handler(startOrKeep);

/** Who sent an event waits for no answer: one that nothing can be done with is kept, with the reason. */
async function startOrKeep(input: unknown, context: LogContext) {
  try {
    return await start(input, context);
  } catch (error) {
    if (!(isBusEvent(input) && error instanceof SettingError)) throw error;
    const { message: reason } = error;
    context.log.error('Event sent to the undelivered queue', { reason });
    await undelivered.add(JSON.stringify(input), reason, context.awsRequestId);
    return { result: 'refused', reason };
  }
}

async function start(input: unknown, context: LogContext) {
  const { connection, exportId: wantedId } = parseStartInput(input, {
    requestId: context.awsRequestId,
    integration,
  });
  if (!(await services.isKnown(connection))) {
    throw new SettingError(
      'connection',
      `${connection} is not a connection of this stack: store its key as the secret ${readVariable('secretPrefix')}${connection} first`,
    );
  }
  const settings = services.settingsOf(connection).export;
  const { kind, state } = await startExport(ports, settings, connection, wantedId);
  const answer = { result: kind, connection, exportId: state.exportId, status: state.status };
  context.log.info('Start', answer);
  return answer;
}
