import { Duration, Stack } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EXPORT_COMPLETED } from '../../../functions/messages/export-completed.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import type { Changes } from '../changes/changes.ts';
import {
  allowPublish,
  connectionsVariable,
  type ExportResources,
} from '../foundation/export-resources.ts';
import type { ExportStore } from '../foundation/export-store.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { QueueFeeding } from '../foundation/queue-feeding.ts';
import { QueueRule } from '../foundation/queue-rule.ts';
import { allowFeeding, allowSend } from '../foundation/queue-statements.ts';
import { WorkQueue } from '../foundation/work-queue.ts';

/** 10,000,000 records take one or two invocations, and after a crash the message comes back within half an hour. */
const TIMEOUT = Duration.minutes(5);

/** For its share of a processor: a description takes 200 MB at most (`npm run bench -- describe`). */
const MEMORY_MIB = 1_024;

/** Lists that are described at once; the others wait in the queue. */
const MAX_CONCURRENCY = 5;

export interface DescribeExportsProps {
  readonly resources: ExportResources;
  readonly store: ExportStore;
  readonly undelivered: IQueue;
  /** `undefined`: exports are not compared. */
  readonly changes: Changes | undefined;
}

/** Describes each completed export, and compares it with the one before: a rule fills a queue, and a function empties it. */
export class DescribeExports extends Construct {
  readonly queue: WorkQueue;
  readonly function: LambdaFunction;

  constructor(
    scope: Construct,
    id: string,
    { resources, store, undelivered, changes }: DescribeExportsProps,
  ) {
    super(scope, id);
    const { integrationId, ledger, eventBus } = resources;
    this.queue = new WorkQueue(this, 'Queue', { workerTimeout: TIMEOUT });
    const { queue, deadLetterQueue } = this.queue;
    this.function = new LambdaFunction(this, 'Function', {
      file: 'describe-export',
      description: 'Describes what the records of a completed export look like',
      timeout: TIMEOUT,
      memorySize: MEMORY_MIB,
      hasLongLists: true,
      // Lambda would stop a message after about 16 invocations. A comparison may wait for a day until the events of the
      // one before are sent; the message goes to the dead letters after four (`queueChain`).
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
        [ENVIRONMENT.eventBus]: eventBus.eventBusName,
        [ENVIRONMENT.integrationId]: integrationId,
        [ENVIRONMENT.descriptionQueueUrl]: queue.queueUrl,
        [ENVIRONMENT.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
        ...(changes && {
          [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
          ...connectionsVariable(resources),
          ...changes.environment,
        }),
      },
      statements: [
        ...store.allowDescribe(),
        allowFeeding(queue),
        allowSend(queue, deadLetterQueue),
        allowPublish(eventBus),
        ...(changes === undefined
          ? []
          : [
              ...store.allowCompare(),
              ...changes.statements,
              ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem'),
            ]),
      ],
    });
    new QueueFeeding(this, 'Completed', {
      target: this.function,
      queue,
      batchSize: 1, // a description may take minutes, and the next message should not wait for it
      maxConcurrency: MAX_CONCURRENCY,
    });
    this.#describeCompleted(resources, undelivered);
  }

  #describeCompleted({ integrationId, eventBus }: ExportResources, undelivered: IQueue): void {
    const { source, detailType } = EXPORT_COMPLETED;
    new QueueRule(this, 'Rule', {
      description: 'Has each completed export described',
      eventBus,
      eventPattern: {
        account: [Stack.of(this).account],
        source: [source],
        detailType: [detailType],
        detail: { integration: [integrationId] },
      },
      queue: this.queue.queue,
      undelivered,
    });
  }
}
