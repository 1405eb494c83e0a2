import * as v from 'valibot';
import { SettingError } from '../../../../lib/errors.ts';
import type { JsonAnswer } from '../../endpoint/json-service.ts';
import { FAUXQS_REGION, type Fauxqs } from '../fauxqs.ts';

const queueStatesSchema = v.array(
  v.object({
    name: v.string(),
    approximateMessageCount: v.number(),
    approximateInflightCount: v.number(),
  }),
);
export type QueueState = v.InferOutput<typeof queueStatesSchema>[number];

/** The engine has one account and one way to write a queue's URL; callers see ours. */
const ENGINE_ACCOUNT_ID = '000000000000';
const ENGINE_HOST = 'queues';

export function engineQueueUrl(name: string): string {
  return `http://sqs.${FAUXQS_REGION}.localhost/${ENGINE_ACCOUNT_ID}/${name}`;
}

/** The ARN by which the engine finds a dead-letter queue. */
export function engineQueueArn(name: string): string {
  return `arn:aws:sqs:${FAUXQS_REGION}:${ENGINE_ACCOUNT_ID}:${name}`;
}

/** Sends one call to the engine as it is. */
export async function callSqsEngine(
  engine: Fauxqs,
  action: string,
  body: unknown,
): Promise<JsonAnswer> {
  const answer = await engine.inject({
    method: 'POST',
    url: '/',
    headers: {
      host: ENGINE_HOST,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AmazonSQS.${action}`,
    },
    payload: JSON.stringify(body),
  });
  return { status: answer.statusCode, body: answer.payload };
}

/** Makes a queue. @throws SettingError with the engine's reason. */
export async function createEngineQueue(
  engine: Fauxqs,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await callSqsEngine(engine, 'CreateQueue', {
    QueueName: name,
    Attributes: attributes,
  });
  if (answer.status === 200) return;
  throw new SettingError(name, `the queue cannot be made: ${answer.body}`);
}

/** How many messages each queue holds, by state. */
export async function queueStates(engine: Fauxqs): Promise<readonly QueueState[]> {
  const answer = await engine.inject({ method: 'GET', url: '/_fauxqs/queues' });
  return v.parse(queueStatesSchema, answer.json());
}
