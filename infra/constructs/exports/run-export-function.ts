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
import { allowFeeding, allowSend } from './export-queue.ts';

/**
 * Long enough that starting anew costs nothing beside it, short enough that a crash is over soon: its
 * message comes back after six times as long.
 */
export const RUN_EXPORT_TIMEOUT = Duration.minutes(5);

/**
 * Keeps the worker's memory flat, in the same time: V8's young generation would grow with the length of the list,
 * and what the threads for compression and TLS free is used again by all of them only if they share the C
 * library's one arena (`npm run bench -- step-memory` and `worker-memory`).
 */
export const WORKER_MEMORY = {
  NODE_OPTIONS: '--max-semi-space-size=4',
  MALLOC_ARENA_MAX: '1',
} as const;

/**
 * The cheapest size that keeps up with 50 requests a second; twice as much costs twice as much there and is
 * faster only where nothing limits (docs/performance.md).
 */
export const WORKER_MEMORY_MIB = 512;

/**
 * A twentieth of the 1,000 functions at once that an account has by default. 2,000 connections of 1 to 30
 * pages are over in some minutes with it (docs/many-connections.md).
 */
const DEFAULT_MAX_CONCURRENT_EXPORTS = 50;

export interface RunExportFunctionProps {
  readonly resources: ExportResources;
  readonly store: ExportStore;
  /** Steps of exports at once, 2 to 1,000. @default 50 */
  readonly maxConcurrentExports?: number | undefined;
}

/** The worker: does one step of an export a wake-up. */
export class RunExportFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: RunExportFunctionProps) {
    const { resources, store, maxConcurrentExports = DEFAULT_MAX_CONCURRENT_EXPORTS } = props;
    const { ledger, queue } = resources;
    super(scope, id, {
      file: 'run-export',
      description: 'Takes pages of an export and stores them, then requeues it',
      timeout: RUN_EXPORT_TIMEOUT,
      memorySize: WORKER_MEMORY_MIB,
      // Lambda would end the export at about 16 requeues: it keeps bounds of its own instead.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...exportEnvironment(resources),
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
        [ENVIRONMENT.deadLetterQueueUrl]: queue.deadLetterQueue.queueUrl,
        ...WORKER_MEMORY,
      },
      statements: [
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
      batchSize: 1, // a step takes minutes, and the next message should not wait behind it
      // What waits, waits in the queue and uses none of these.
      maxConcurrency: maxConcurrentExports,
    });
  }
}
