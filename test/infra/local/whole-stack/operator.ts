import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { createLedger } from '../../../../functions/aws/ledger/ledger.ts';
import { LedgerTable } from '../../../../functions/aws/ledger/ledger-table.ts';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import type { Manifest } from '../../../../lib/exports/manifest.ts';
import { manifestKey } from '../../../../lib/exports/store-objects.ts';
import { unpacked } from '../../../unpacked.ts';
import { until } from '../../../until.ts';

const OutputsSchema = v.object({
  ExportBucketName: v.string(),
  ExportQueueUrl: v.string(),
  LedgerTableName: v.string(),
  StartExportFunctionName: v.string(),
  SecretPrefix: v.string(),
});
/** Logical id of the integration in the stack that is deployed, whose outputs have no prefix. */
const ID = 'Customers';
const StartedSchema = v.object({ exportId: v.string(), result: v.string() });

/** How often the ledger is looked at: more often than any step is short. */
const LOOK_EVERY_MS = 30;
/** Of an export that nobody writes to; the waits of the tests are far shorter, on a busy machine too. */
const STANDSTILL_MS = 60_000;

/** What the operator of a deployed stack can do to it. */
export type Operator = ReturnType<typeof operatorOf>;

/** @param integration Its id, where the stack has more than one. */
export function operatorOf(stack: LocalStack, integration?: string) {
  const outputs = v.parse(OutputsSchema, outputsOf(stack, integration));
  const dynamodb = new DynamoDBClient(stack.endpoint);
  const table = new LedgerTable(dynamodb, outputs.LedgerTableName);
  const ledger = createLedger(table);
  const sqs = new SQSClient(stack.endpoint);
  const s3 = new S3Client({ ...stack.endpoint, forcePathStyle: true });
  const worker = functionIdOf(stack, `${integration ?? ID}RunExport`);
  const workerName = stack.resources[worker]?.name ?? '';
  const QueueUrl = outputs.ExportQueueUrl;
  const Bucket = outputs.ExportBucketName;

  const read = async (key: string): Promise<Buffer> => {
    const object = await s3.send(new GetObjectCommand({ Bucket, Key: key }));
    return Buffer.from((await object.Body?.transformToByteArray()) ?? []);
  };

  return {
    storeKey: (connection: string, key: string) =>
      stack.putSecret(outputs.SecretPrefix + connection, key),

    start: async (connection: string, list = 'customers') => {
      const outcome = await stack.invoke(outputs.StartExportFunctionName, { connection, list });
      if (outcome.kind !== 'returned') throw new Error(`not started: ${JSON.stringify(outcome)}`);
      return v.parse(StartedSchema, JSON.parse(outcome.payload));
    },

    /**
     * Looks at an export again and again until `found`.
     *
     * @throws Error with the export's state when that does not change any more.
     */
    watch: (
      connection: string,
      exportId: string,
      found: (state: ExportState) => boolean | Promise<boolean>,
    ): Promise<ExportState> => {
      let state: ExportState | undefined;
      let seenWrites = -1;
      const look = async () => {
        const writes = stack.tableWrites();
        if (writes !== seenWrites) state = await ledger.readExport(connection, exportId);
        seenWrites = writes;
        return state !== undefined && (await found(state)) ? state : undefined;
      };
      const limits = { seen: () => state, withinMs: STANDSTILL_MS, everyMs: LOOK_EVERY_MS };
      return until(`export ${exportId} of ${connection}`, look, limits);
    },

    /**
     * Makes an export and the gate of its connection what they would be after this time without a write. Only the
     * ledger tells time to the sweep: a clock of its own that is late would be seen through.
     *
     * @param seen As it was read; nothing is changed if somebody has written since.
     */
    letPass: async (seen: ExportState, ms: number) => {
      const { connection, writeToken, lease, updatedAtMs, notBeforeMs } = seen;
      // An export that never had to wait has no time to wait for.
      const times = { updatedAtMs: updatedAtMs - ms, notBeforeMs: Math.max(0, notBeforeMs - ms) };
      const earlier = { ...seen, ...times };
      await ledger.writeExport(
        lease === undefined
          ? earlier
          : { ...earlier, lease: { ...lease, untilMs: lease.untilMs - ms } },
        writeToken,
      );
      await table.update(
        { connection, sort: 'gate' },
        'SET blockedUntilMs = blockedUntilMs - :ms',
        { ':ms': ms, ':now': Date.now() },
        'blockedUntilMs < :now',
      );
    },

    send: async (body: unknown) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
    },

    /** Loses every message of the queue, delayed ones too. */
    loseMessages: async () => {
      await sqs.send(new PurgeQueueCommand({ QueueUrl }));
    },

    /** Takes one message with everything that is on it, waiting for it a while. */
    takeMessage: async () => {
      const { Messages: [message] = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          WaitTimeSeconds: 2,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      if (message === undefined) return undefined;
      const { ReceiptHandle } = message;
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      return message;
    },

    /** Gives the worker one message as the queue would. */
    feedWorker: (body: string) =>
      stack.invoke(worker, { Records: [{ messageId: 'by-hand', eventSource: 'aws:sqs', body }] }),

    sweep: () => stack.invoke(functionIdOf(stack, `${integration ?? ID}Sweep`), {}),

    killWorker: () => stack.kill(worker),

    /** Invocations of the worker that ended without an answer: those that were killed. */
    killedInvocations: () => stack.usage().lambda[workerName]?.failures ?? 0,

    read,

    manifest: async (connection: string, exportId: string, list = 'customers'): Promise<Manifest> =>
      JSON.parse((await read(manifestKey({ connection, list, exportId }))).toString()),

    /** Every item of the ledger, as JSON. */
    ledgerItems: async () =>
      JSON.stringify(
        (await dynamodb.send(new ScanCommand({ TableName: outputs.LedgerTableName }))).Items,
      ),

    /** Names and contents of every object; compressed ones uncompressed. */
    objects: async () => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
      const keys = Contents.flatMap(({ Key }) => Key ?? []);
      const texts = keys.map(async (key) => {
        const body = await read(key);
        return [key, (/\.(?:gz|zst)$/.test(key) ? unpacked(key, body) : body).toString()] as const;
      });
      return Promise.all(texts);
    },
  };
}

/** The outputs of an integration by their own names. */
export function outputsOf(stack: LocalStack, integration = ''): LocalStack['outputs'] {
  const own = Object.entries(stack.outputs).filter(([name]) => name.startsWith(integration));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(integration.length), value]));
}

/** @param beginsWith Of the logical id. */
function functionIdOf(stack: LocalStack, beginsWith: string): string {
  const id = Object.keys(stack.resources).find(
    (logicalId) =>
      logicalId.startsWith(beginsWith) &&
      stack.resources[logicalId]?.type === 'AWS::Lambda::Function',
  );
  if (id === undefined) throw new Error(`no function ${beginsWith}`);
  return id;
}
