import { Duration } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ConnectionTable } from '../../../functions/services/connection-settings.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { SettingError } from '../../../lib/errors.ts';
import {
  allowPublish,
  connectionsVariable,
  type ExportResources,
} from '../foundation/export-resources.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { QueueFeeding } from '../foundation/queue-feeding.ts';
import { allowFeeding, allowSend } from '../foundation/queue-statements.ts';
import type { WorkQueue } from '../foundation/work-queue.ts';

/** 30 s for the request, and 90 s for the wait for its slot, a check and the commit. */
const LEAST_TIMEOUT_SECONDS = 120;
const BESIDE_THE_REQUEST_SECONDS = 90;
/** Lambda's limit. */
const MAX_TIMEOUT_SECONDS = 900;

/**
 * Enough for the longest request of any connection. After a crash the message is delivered again after six
 * times as long.
 *
 * @throws SettingError when a request may take longer than a function can.
 */
export function applyWriteTimeout({ defaults, connections }: ConnectionTable): Duration {
  const own = Object.values(connections).map(({ deadlineMs }) => deadlineMs);
  const deadlinesMs = [defaults.deadlineMs, ...own];
  const longestSeconds = Math.ceil(Math.max(0, ...deadlinesMs.map((ms = 0) => ms)) / 1000);
  const seconds = Math.max(LEAST_TIMEOUT_SECONDS, longestSeconds + BESIDE_THE_REQUEST_SECONDS);
  if (seconds <= MAX_TIMEOUT_SECONDS) return Duration.seconds(seconds);
  throw new SettingError(
    'deadlineMs',
    `with operations expected at most ${(MAX_TIMEOUT_SECONDS - BESIDE_THE_REQUEST_SECONDS) * 1000}, got ${longestSeconds * 1000}: a function runs ${MAX_TIMEOUT_SECONDS} s at most, and needs time beside the request`,
  );
}

/**
 * Concurrent batches. Ten concurrent writes of 0.2 s each are 50 a second, so one batch reaches the rate of
 * most APIs; more batches serve more connections.
 */
const MAX_CONCURRENCY = 20;

export interface ApplyWriteFunctionProps {
  readonly resources: ExportResources;
  readonly queue: WorkQueue;
  readonly timeout: Duration;
}

/** Carries out one write per message, or requeues it until the API accepts it. */
export class ApplyWriteFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: ApplyWriteFunctionProps) {
    const { resources, queue, timeout } = props;
    const { integrationId, ledger, secrets, eventBus } = resources;
    super(scope, id, {
      file: 'apply-write',
      description: 'Carries out the writes that were asked for, each at most once',
      timeout,
      memorySize: 512, // for ten bodies of up to 256 KiB; the bundle also loads faster with more CPU
      // Lambda would stop a write after about 16 messages; the write has its own bounds.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
        [ENVIRONMENT.secretPrefix]: secrets.prefix,
        [ENVIRONMENT.fingerprintSecret]: secrets.fingerprintSecret.secretArn,
        [ENVIRONMENT.eventBus]: eventBus.eventBusName,
        [ENVIRONMENT.integrationId]: integrationId,
        [ENVIRONMENT.writeQueueUrl]: queue.queue.queueUrl,
        [ENVIRONMENT.deadLetterQueueUrl]: queue.deadLetterQueue.queueUrl,
        ...connectionsVariable(resources),
      },
      statements: [
        secrets.allowRead(),
        secrets.allowFingerprint(),
        allowFeeding(queue.queue),
        allowSend(queue.queue, queue.deadLetterQueue),
        allowPublish(eventBus),
        ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
      ],
    });
    new QueueFeeding(this, 'Messages', {
      target: this,
      queue: queue.queue,
      batchSize: 10, // the maximum without a batching window, which would only delay writes
      maxConcurrency: MAX_CONCURRENCY,
    });
  }
}
