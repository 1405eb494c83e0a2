import { Duration } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { allowPublish, type ExportResources } from '../foundation/export-resources.ts';
import type { ExportStore } from '../foundation/export-store.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { QueueFeeding } from '../foundation/queue-feeding.ts';
import { allowFeeding, allowSend } from '../foundation/queue-statements.ts';
import { WorkQueue } from '../foundation/work-queue.ts';

/** Some hundred thousand events; after a crash the message comes back within half an hour. */
const TIMEOUT = Duration.minutes(5);

/** For its share of a processor: a file of changes with its blocks, and 80 entries under way, take 100 MB. */
const MEMORY_MIB = 512;

/** Lists whose changes are told at once; EventBridge takes 600 to 10,000 entries a second of an account. */
const MAX_CONCURRENCY = 5;

export interface ChangesProps {
  readonly resources: ExportResources;
  readonly store: ExportStore;
}

/** Tells what changed between complete exports: a queue, and the function that sends events of single records. */
export class Changes extends Construct {
  readonly queue: WorkQueue;
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { resources, store }: ChangesProps) {
    super(scope, id);
    const { integrationId, ledger, eventBus } = resources;
    this.queue = new WorkQueue(this, 'Queue', { workerTimeout: TIMEOUT });
    const { queue, deadLetterQueue } = this.queue;
    this.function = new LambdaFunction(this, 'Function', {
      file: 'publish-changes',
      description: 'Sends an event for each record that changed between two complete exports',
      timeout: TIMEOUT,
      memorySize: MEMORY_MIB,
      // Lambda would stop it after about 16 steps; what cannot be told has a bound of its own.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
        [ENVIRONMENT.eventBus]: eventBus.eventBusName,
        [ENVIRONMENT.integrationId]: integrationId,
        [ENVIRONMENT.changeQueueUrl]: queue.queueUrl,
        [ENVIRONMENT.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
      },
      statements: [
        ...store.allowReadChanges(),
        allowFeeding(queue),
        allowSend(queue, deadLetterQueue),
        allowPublish(eventBus),
        ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem'),
      ],
    });
    new QueueFeeding(this, 'Messages', {
      target: this.function,
      queue,
      batchSize: 1, // a step may take minutes, and the next message should not wait for it
      maxConcurrency: MAX_CONCURRENCY,
    });
  }

  /** Environment for functions that compare, wake or decide about changes. */
  get environment(): Readonly<Record<string, string>> {
    return { [ENVIRONMENT.changeQueueUrl]: this.queue.queue.queueUrl };
  }

  /** Permissions for functions that compare, wake or decide about changes, besides the ledger's. */
  get statements(): readonly PolicyStatement[] {
    return [allowSend(this.queue.queue)];
  }
}
