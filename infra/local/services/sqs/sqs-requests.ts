import * as v from 'valibot';
import type { IamRequest } from '../../iam/request.ts';
import type { Place } from '../../template/place.ts';

const addressSchema = v.object({
  QueueUrl: v.optional(v.string()),
  QueueName: v.optional(v.string()),
});

/**
 * What a call of Amazon SQS needs. A batch needs what its single call needs (SQS developer guide,
 * "Amazon SQS API permissions").
 */
export function sqsRequests(
  action: string,
  parameters: unknown,
  { region, accountId }: Place,
): readonly IamRequest[] {
  const parsed = v.safeParse(addressSchema, parameters);
  const { QueueUrl, QueueName } = parsed.success ? parsed.output : {};
  const name = QueueUrl?.split('/').at(-1) ?? QueueName;
  return [
    {
      action: `sqs:${action.replace(/Batch$/, '')}`,
      resource: name === undefined ? '*' : `arn:aws:sqs:${region}:${accountId}:${name}`,
      context: {},
    },
  ];
}
