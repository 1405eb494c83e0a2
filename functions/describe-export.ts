import { S3Client } from '@aws-sdk/client-s3';
import { comparedBy } from '../lib/changes/comparable.ts';
import { compareExport } from '../lib/changes/compare-export.ts';
import { type CompletedExport, describeExport } from '../lib/exports/describe-export.ts';
import { storeClientSettings } from './aws/client-settings.ts';
import { createStore } from './aws/store.ts';
import { createStoredReader } from './aws/stored-reader.ts';
import { parseExportCompleted } from './messages/export-completed.ts';
import type { MessageAnswer } from './messages/message.ts';
import { handleEach } from './middleware/handle-each.ts';
import type { LogContext } from './middleware/invocation-log.ts';
import { queueChain } from './middleware/queue-chain.ts';
import { changeFacts } from './services/change-facts.ts';
import { connectionSettingsOf } from './services/connection-settings.ts';
import { readConnectionTable, readVariable } from './services/environment.ts';
import { foundMetrics } from './services/metric-values.ts';
import { createChangePortsIfDeployed, openEventBus } from './services/ports.ts';

/** The largest part takes seconds; the rest is for the report. */
const KEPT_MS = 60_000;

const client = new S3Client(storeClientSettings());
const bucket = readVariable('exportBucket');
const integration = readVariable('integrationId');
const ports = {
  store: createStore(client, bucket),
  readStored: createStoredReader(client, bucket),
  bucket,
  events: openEventBus(),
};

const changes = createChangePortsIfDeployed();
const comparison = changes && { changes, connections: readConnectionTable() };

/** Reads the parts of each completed export once, writes what its records look like, and compares it with the last one. */
export const handler = queueChain<CompletedExport>({
  parse: (body) => parseExportCompleted(body, integration),
  queueUrl: readVariable('descriptionQueueUrl'),
  deadLetterQueueUrl: readVariable('deadLetterQueueUrl'),
}).handler(handleEach(describe));

async function describe(told: CompletedExport, context: LogContext): Promise<MessageAnswer> {
  const isTimeUp = () => context.getRemainingTimeInMillis() < KEPT_MS;
  const indexes = comparison === undefined ? {} : { indexedBy: comparedBy };
  const described = await describeExport({ ...ports, ...indexes, isTimeUp }, told);
  const { connection, list, exportId } = told;
  const facts = { connection, list, exportId, result: described.kind };
  switch (described.kind) {
    case 'described': {
      const { records, tooLong = 0, changes } = described.schema;
      context.log.info('Description', { ...facts, records, tooLong, changes: changes.length });
      return comparison === undefined ? 'acknowledge' : compare(comparison, told, context);
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

/** The description is over by then: whatever comes of a comparison, the export and its report stay. */
async function compare(
  { changes, connections }: NonNullable<typeof comparison>,
  told: CompletedExport,
  context: LogContext,
): Promise<MessageAnswer> {
  const { connection, list, exportId } = told;
  const settings = connectionSettingsOf(connections, connection);
  const remainingMs = () => context.getRemainingTimeInMillis();
  const compared = await compareExport(
    { ...ports, changes, isTimeUp: () => remainingMs() < KEPT_MS },
    told,
    {
      settings: settings.changes,
      historyDays: settings.export.historyDays,
      invocation: { remainingMs },
    },
  );
  const facts = { connection, list, exportId, result: compared.kind };
  switch (compared.kind) {
    case 'compared': {
      const { state } = compared;
      context.log.info('Comparison', { ...facts, ...changeFacts(state) }, foundMetrics(state));
      return 'acknowledge';
    }
    case 'unfinished':
      context.log.info('Comparison', facts);
      return { requeueAfterSeconds: 0 };
    case 'wait':
      return { requeueAfterSeconds: compared.seconds };
    default:
      context.log.info('Comparison', facts);
      return 'acknowledge';
  }
}
