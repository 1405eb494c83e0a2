import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { integer, resourceType } from '../resource-type.ts';

/** What a function's role must allow so that Lambda reads a queue for it (developer guide, "Execution role permissions"). */
const FEEDING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] as const;

const schema = v.strictObject({
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  // More than 10 would need a batching window (API reference, CreateEventSourceMapping).
  BatchSize: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(10)), 10),
  ScalingConfig: v.strictObject({
    MaximumConcurrency: v.pipe(integer, v.minValue(2), v.maxValue(1_000)),
  }),
  FunctionResponseTypes: v.strictTuple([
    v.literal('ReportBatchItemFailures', 'only functions that report single items are fed here'),
  ]),
});

/** AWS refuses a mapping whose function's role may not read the queue, or whose queue shows a message too soon. */
export const lambdaEventSourceMapping = resourceType({
  type: 'AWS::Lambda::EventSourceMapping',
  schema,
  make: ({ place, properties }, { engines, visibilitySeconds, mappings }) => {
    const { EventSourceArn, FunctionName } = properties;
    const queueName = engines.queues.nameOfArn(EventSourceArn);
    if (queueName === undefined) {
      throw new SettingError(place, `${EventSourceArn} is no queue of the stack`);
    }
    const definition = engines.host.get(FunctionName, place);
    const visibility = visibilitySeconds.get(queueName) ?? 0;
    if (definition.timeoutSeconds > visibility) {
      throw new SettingError(
        place,
        `the visibility timeout of ${queueName} (${visibility} s) is below the timeout of ` +
          `${definition.name} (${definition.timeoutSeconds} s); AWS refuses it, and advises six times the timeout`,
      );
    }
    engines.access.require(definition.name, FEEDING, EventSourceArn, place);
    mappings.push({
      function: definition,
      queueName,
      batchSize: properties.BatchSize,
      maximumConcurrency: properties.ScalingConfig.MaximumConcurrency,
    });
  },
});
