import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { inert, integer, resourceType } from '../resource-type.ts';
import type { Queues } from '../services/sqs/queues.ts';
import { engineQueueArn } from '../services/sqs/sqs-engine.ts';

const schema = v.strictObject({
  MessageRetentionPeriod: v.optional(integer),
  // The service's own default (API reference, SetQueueAttributes).
  VisibilityTimeout: v.optional(integer, 30),
  RedrivePolicy: v.optional(
    v.strictObject({ deadLetterTargetArn: v.string(), maxReceiveCount: integer }),
  ),
  // Encryption at rest.
  SqsManagedSseEnabled: inert,
  KmsMasterKeyId: inert,
});

export const sqsQueue = resourceType({
  type: 'AWS::SQS::Queue',
  schema,
  maxNameLength: 80,
  identity: (name, { region, accountId, endpointUrl }) => {
    const arn = `arn:aws:sqs:${region}:${accountId}:${name}`;
    const ref = `${endpointUrl}/${accountId}/${name}`;
    return { arn, ref, attributes: { Arn: arn, QueueName: name } };
  },
  remove: ({ name }, { queues }) => queues.remove(name),
  make: ({ name, properties }, { engines, visibilitySeconds }) => {
    visibilitySeconds.set(name, properties.VisibilityTimeout);
    return makeQueue(name, properties, engines.queues);
  },
});

async function makeQueue(
  name: string,
  { RedrivePolicy, ...plain }: v.InferOutput<typeof schema>,
  queues: Queues,
): Promise<void> {
  const { MessageRetentionPeriod, VisibilityTimeout } = plain;
  const attributes: Record<string, string> = { VisibilityTimeout: String(VisibilityTimeout) };
  if (MessageRetentionPeriod !== undefined) {
    attributes['MessageRetentionPeriod'] = String(MessageRetentionPeriod);
  }
  if (RedrivePolicy !== undefined) {
    const { deadLetterTargetArn, maxReceiveCount } = RedrivePolicy;
    const target = queues.nameOfArn(deadLetterTargetArn);
    if (target === undefined) {
      throw new SettingError(
        name,
        `its dead-letter queue ${deadLetterTargetArn} is not in the stack`,
      );
    }
    attributes['RedrivePolicy'] = JSON.stringify({
      deadLetterTargetArn: engineQueueArn(target),
      maxReceiveCount,
    });
  }
  await queues.create(name, attributes);
}
