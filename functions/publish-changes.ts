import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { type DecisionRequest, decideChanges } from '../lib/changes/decide-changes.ts';
import type { ChangePointer, PublishPorts } from '../lib/changes/ports.ts';
import { publishStep } from '../lib/changes/publish-step.ts';
import { clientSettings, storeClientSettings } from './aws/client-settings.ts';
import { createRecordBus } from './aws/events.ts';
import { createWholeReader } from './aws/stored-reader.ts';
import { errorFields } from './log/log.ts';
import { type ChangeMessage, parseChangeMessage } from './messages/change-message.ts';
import type { MessageAnswer } from './messages/message.ts';
import { handleEach } from './middleware/handle-each.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { queueChain } from './middleware/queue-chain.ts';
import { changeFacts } from './services/change-facts.ts';
import { readVariable } from './services/environment.ts';
import { decisionMetrics, publishMetrics } from './services/metric-values.ts';
import { createChangePorts } from './services/ports.ts';

const bucket = readVariable('exportBucket');
const client = new EventBridgeClient(clientSettings());
const ports: PublishPorts = {
  ...createChangePorts(),
  integration: readVariable('integrationId'),
  bucket,
  store: { readWhole: createWholeReader(new S3Client(storeClientSettings()), bucket) },
  bus: createRecordBus(client, readVariable('eventBus')),
};

/** Sends an event for each record that an export changed, step by step, and carries out decisions about them. */
export const handler = queueChain<ChangeMessage>({
  parse: parseChangeMessage,
  queueUrl: readVariable('changeQueueUrl'),
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(
  handleEach<ChangeMessage>((message, context) =>
    message.kind === 'pointer'
      ? publish(message.pointer, context)
      : decide(message.request, context),
  ),
);

async function publish(pointer: ChangePointer, context: LogContext): Promise<MessageAnswer> {
  const { log } = context;
  const invocation = { remainingMs: () => context.getRemainingTimeInMillis() };
  const { answer, result, state, told, error } = await publishStep(ports, pointer, invocation);
  const { connection, exportId, step } = pointer;
  const problem = error === undefined ? {} : errorFields(error);
  const facts = { ...changeFacts(state), ...problem };
  const fields = { connection, exportId, step, result, told, ...facts };
  const metrics = publishMetrics(told);
  if (result === 'stopped' || (answer === 'retry' && error !== undefined))
    log.error('Changes', fields, metrics);
  else log.info('Changes', fields, metrics);
  return answer;
}

async function decide(request: DecisionRequest, context: LogContext): Promise<MessageAnswer> {
  const decided = await decideChanges(ports, request);
  const { connection, exportId, decision, by } = request;
  const asked = { connection, exportId, decision, by, result: decided.kind };
  if (decided.kind === 'missing') {
    const reason = `Connection ${connection} has no changes of an export ${exportId}.`;
    context.log.warn('Changes decided', asked);
    return { deadLetterReason: reason };
  }
  const { state } = decided;
  const facts = { ...asked, ...changeFacts(state) };
  context.log.info('Changes decided', facts, decisionMetrics(decided));
  if (decided.kind === 'decided') return 'acknowledge';
  return {
    deadLetterReason: `The changes of ${exportId} are ${state.status}: nobody waits for a decision.`,
  };
}
