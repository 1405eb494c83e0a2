import * as v from 'valibot';
import { type ServiceError, serviceError } from '../../endpoint/aws-call.ts';

// Quotas of Amazon SQS that the engine does not check (SQS developer guide, "Message quotas").
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;

const delaySchema = v.object({ DelaySeconds: v.optional(v.unknown()) });
const visibilitySchema = v.object({ VisibilityTimeout: v.optional(v.unknown()) });

/** Why SQS refuses the call or the batch entry; `undefined` when it does not. */
export function sqsRefusal(action: string, parameters: unknown): ServiceError | undefined {
  if (action.startsWith('SendMessage')) {
    const { DelaySeconds } = v.parse(delaySchema, parameters);
    return outside('DelaySeconds', DelaySeconds, MAX_DELAY_SECONDS);
  }
  if (action.startsWith('ChangeMessageVisibility') || action === 'ReceiveMessage') {
    const { VisibilityTimeout } = v.parse(visibilitySchema, parameters);
    return outside('VisibilityTimeout', VisibilityTimeout, MAX_VISIBILITY_SECONDS);
  }
  return undefined;
}

function outside(name: string, value: unknown, max: number): ServiceError | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max)
    return undefined;
  return serviceError(
    'com.amazonaws.sqs#InvalidParameterValue',
    `Value ${String(value)} for parameter ${name} is invalid. Reason: Must be an integer from 0 to ${max}.`,
  );
}
