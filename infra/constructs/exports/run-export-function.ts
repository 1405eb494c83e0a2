import { Duration } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import {
  type ExportResources,
  exportEnvironment,
  exportStatements,
} from '../foundation/export-resources.ts';
import type { ExportStore } from '../foundation/export-store.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { QueueFeeding } from '../foundation/queue-feeding.ts';
import { allowFeeding, allowSend } from '../foundation/queue-statements.ts';

/**
 * Long enough that the start of a step costs little in comparison, short enough that a crash is over soon: its
 * message is delivered again after six times as long.
 */
export const RUN_EXPORT_TIMEOUT = Duration.minutes(5);

/**
 * The cheapest size for 50 requests a second. Twice the memory costs twice as much there, and is faster only
 * without a rate limit (docs/performance.md).
 */
export const WORKER_MEMORY_MIB = 512;

/**
 * A twentieth of an account's default of 1,000 concurrent executions. 2,000 connections of 1 to 30 pages take
 * some minutes with it (docs/many-connections.md).
 */
const DEFAULT_MAX_CONCURRENT_EXPORTS = 50;

export interface RunExportFunctionProps {
  readonly resources: ExportResources;
  readonly store: ExportStore;
  /** Concurrent steps of exports, 2 to 1,000. @default 50 */
  readonly maxConcurrentExports?: number | undefined;
}

/** The worker: runs one step of an export per wake-up. */
export class RunExportFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: RunExportFunctionProps) {
    const { resources, store, maxConcurrentExports = DEFAULT_MAX_CONCURRENT_EXPORTS } = props;
    const { ledger, queue } = resources;
    super(scope, id, {
      file: 'run-export',
      description: 'Takes pages of an export and stores them, then requeues it',
      timeout: RUN_EXPORT_TIMEOUT,
      memorySize: WORKER_MEMORY_MIB,
      hasLongLists: true,
      // Lambda would stop the export after about 16 wake-ups; the export has its own bounds.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...exportEnvironment(resources),
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
        [ENVIRONMENT.deadLetterQueueUrl]: queue.deadLetterQueue.queueUrl,
      },
      statements: [
        resources.secrets.allowRead(),
        resources.secrets.allowFingerprint(),
        ...exportStatements(resources),
        ...store.allowWork(),
        allowFeeding(queue.queue),
        allowSend(queue.deadLetterQueue),
        ledger.allow(
          'dynamodb:GetItem',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
          'dynamodb:DeleteItem',
          'dynamodb:Query',
        ),
      ],
    });
    new QueueFeeding(this, 'WakeUps', {
      target: this,
      queue: queue.queue,
      batchSize: 1, // a step takes minutes, and the next message should not wait for it
      // Waiting exports are in the queue and need no invocation.
      maxConcurrency: maxConcurrentExports,
    });
  }
}
