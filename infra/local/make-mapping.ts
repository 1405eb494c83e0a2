import type * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import type { MappingDefinition } from './lambda/event-source-mapping.ts';
import type { FunctionHost } from './lambda/function-host.ts';
import { compileMessageFilter } from './lambda/message-filter.ts';
import type { Queues } from './services/sqs/queues.ts';
import type { eventSourceMappingSchema } from './template/resource-schemas.ts';

type MappingProperties = v.InferOutput<typeof eventSourceMappingSchema>;

/** Without a maximum, Lambda begins with five batches at once (developer guide, scaling of SQS). */
const DEFAULT_CONCURRENCY = 5;
/** A batch of more than this needs a batching window (API reference, CreateEventSourceMapping). */
const MAX_BATCH_WITHOUT_WINDOW = 10;

/**
 * Reads an `AWS::Lambda::EventSourceMapping` of a queue.
 *
 * @param visibilityTimeoutSeconds Of the queue.
 * @throws SettingError where AWS refuses it, or its source is no queue of the stack.
 */
export function mappingDefinition(
  logicalId: string,
  properties: MappingProperties,
  region: string,
  queues: Queues,
  host: FunctionHost,
  visibilityTimeoutSeconds: (queueName: string) => number,
): MappingDefinition {
  const place = `${logicalId} (AWS::Lambda::EventSourceMapping)`;
  const queueName = queues.nameOfArn(properties.EventSourceArn);
  if (queueName === undefined) {
    throw new SettingError(place, `${properties.EventSourceArn} is no queue of the stack`);
  }
  const definition = host.find(properties.FunctionName);
  if (definition === undefined) {
    throw new SettingError(place, `there is no function ${properties.FunctionName}`);
  }
  const visibility = visibilityTimeoutSeconds(queueName);
  if (definition.timeoutSeconds > visibility) {
    throw new SettingError(
      place,
      `the visibility timeout of ${queueName} (${visibility} s) is below the timeout of ` +
        `${definition.name} (${definition.timeoutSeconds} s); AWS refuses it, and advises six times the timeout`,
    );
  }
  const { BatchSize, MaximumBatchingWindowInSeconds } = properties;
  if (BatchSize > MAX_BATCH_WITHOUT_WINDOW && MaximumBatchingWindowInSeconds < 1) {
    throw new SettingError(
      place,
      `a batch of ${BatchSize} needs a batching window of at least 1 s`,
    );
  }
  return {
    function: definition,
    queueName,
    queueArn: properties.EventSourceArn,
    region,
    batchSize: BatchSize,
    batchingWindowSeconds: MaximumBatchingWindowInSeconds,
    maximumConcurrency: properties.ScalingConfig?.MaximumConcurrency ?? DEFAULT_CONCURRENCY,
    reportsItemFailures: properties.FunctionResponseTypes.length > 0,
    filter: compileMessageFilter(
      (properties.FilterCriteria?.Filters ?? []).map(({ Pattern }) => Pattern),
      place,
    ),
  };
}
