import middy from '@middy/core';
import { SettingError } from '../lib/errors.ts';
import { type Started, startExport, type WantedExport } from '../lib/exports/start-export.ts';
import { unknownList } from '../lib/gate/unknown-list.ts';
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

/** Starts an export of a list, or joins the one that runs or waits. Repeating a trigger starts nothing new. */
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
  const wanted = parseStartInput(input, { requestId: context.awsRequestId, integration });
  const { connection } = wanted;
  if (!(await services.isKnown(connection))) {
    throw new SettingError(
      'connection',
      `${connection} is not a connection of this stack: store its key as the secret ${readVariable('secretPrefix')}${connection} first`,
    );
  }
  const settings = services.settingsOf(connection);
  const problem = unknownList(settings.lists, wanted.list);
  if (problem !== undefined) throw new SettingError('list', problem);
  const answer = answerOf(wanted, await startExport(ports, settings, wanted));
  context.log.info('Start', answer);
  return answer;
}

function answerOf({ connection, list }: WantedExport, started: Started) {
  const about = { result: started.kind, connection, list };
  if (started.kind !== 'queued') {
    const { exportId, status } = started.state;
    return { ...about, exportId, status };
  }
  const { exportId, place } = started.queued;
  return { ...about, exportId, status: 'queued', place };
}
