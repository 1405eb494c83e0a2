import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { type CompletedExport, describeExport } from '../lib/exports/describe-export.ts';
import { CLIENT_SETTINGS, STORE_CLIENT_SETTINGS } from './aws/client-settings.ts';
import { createEventBus } from './aws/events.ts';
import { createStore } from './aws/store.ts';
import { createStoredReader } from './aws/stored-reader.ts';
import { parseExportCompleted } from './messages/export-completed.ts';
import { eachMessage } from './middleware/each-message.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { queueChain } from './middleware/queue-chain.ts';
import type { MessageAnswer } from './middleware/queue-messages.ts';
import { readVariable } from './services/environment.ts';

/** The largest part takes seconds; the rest is for the report. */
const KEPT_MS = 60_000;

const requestHandler = {
  ...STORE_CLIENT_SETTINGS.requestHandler,
  // Between two pieces of a part: a connection that hangs ends while there is time to go on with another.
  socketTimeout: 10_000,
};
const client = new S3Client({ ...STORE_CLIENT_SETTINGS, requestHandler });
const bucket = readVariable('exportBucket');
const integration = readVariable('integrationId');
const eventBridge = new EventBridgeClient(CLIENT_SETTINGS);
const ports = {
  store: createStore(client, bucket),
  readStored: createStoredReader(client, bucket),
  bucket,
  events: createEventBus(eventBridge, readVariable('eventBus'), integration),
};

/** Reads the parts of each complete export once, and writes what its records look like. */
export const handler = queueChain<CompletedExport>({
  parse: (body) => parseExportCompleted(body, integration),
  queueUrl: readVariable('descriptionQueueUrl'),
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(eachMessage(describe));

async function describe(told: CompletedExport, context: LogContext): Promise<MessageAnswer> {
  const isTimeUp = () => context.getRemainingTimeInMillis() < KEPT_MS;
  const described = await describeExport({ ...ports, isTimeUp }, told);
  const { connection, list, exportId } = told;
  const facts = { connection, list, exportId, result: described.kind };
  switch (described.kind) {
    case 'described': {
      const { records, tooLong = 0, changes } = described.schema;
      context.log.info('Description', { ...facts, records, tooLong, changes: changes.length });
      return 'acknowledge';
    }
    case 'unfinished': {
      const { partsRead, parts } = described;
      context.log.info('Description', { ...facts, partsRead, parts });
      return { requeueAfterSeconds: 0 };
    }
    case 'refused':
      return { deadLetterReason: described.reason };
  }
}
