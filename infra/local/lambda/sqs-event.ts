import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import { recordOf } from '../../../lib/record-of.ts';

const receivedSchema = v.object({
  Messages: v.optional(
    v.array(
      v.object({
        MessageId: v.string(),
        ReceiptHandle: v.string(),
        Body: v.string(),
        Attributes: v.optional(recordOf(v.string(), v.string()), {}),
        MessageAttributes: v.optional(
          recordOf(
            v.string(),
            v.object({
              DataType: v.string(),
              StringValue: v.exactOptional(v.string()),
              /** Base64. */
              BinaryValue: v.exactOptional(v.string()),
            }),
          ),
          {},
        ),
      }),
    ),
    [],
  ),
});

export type ReceivedMessage = NonNullable<v.InferOutput<typeof receivedSchema>['Messages']>[number];

/** Reads what ReceiveMessage answered. */
export function receivedMessages(body: string): readonly ReceivedMessage[] {
  return v.parse(receivedSchema, JSON.parse(body)).Messages;
}

/** As much as functions read of a record of Lambda (developer guide, "Using Lambda with Amazon SQS"). */
export function sqsRecord(message: ReceivedMessage): object {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes).map(([name, value]) => [
        name,
        {
          ...defined({ stringValue: value.StringValue, binaryValue: value.BinaryValue }),
          dataType: value.DataType,
        },
      ]),
    ),
  };
}

const batchResponseSchema = v.nullish(
  v.object({
    batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.unknown() }))),
  }),
);

/**
 * Message ids that a function reported as failed. All of them when the report cannot be used: an
 * empty, missing or unknown id, or another shape. None for an empty or missing list
 * (developer guide, "Implementing partial batch responses").
 */
export function failedMessageIds(
  payload: string,
  messageIds: readonly string[],
): readonly string[] {
  const response = v.safeParse(batchResponseSchema, JSON.parse(payload));
  if (!response.success) return messageIds;
  const failures = response.output?.batchItemFailures ?? [];
  const ids = failures.map(({ itemIdentifier }) => itemIdentifier);
  const known = messageIds.filter((id) => ids.includes(id));
  return known.length === new Set(ids).size ? known : messageIds;
}
