import { buildApp } from 'fauxqs';
import * as v from 'valibot';
import { SettingError } from '../../../../lib/errors.ts';

export type QueueEngine = Awaited<ReturnType<typeof buildApp>>;

/** What the engine answered. */
export interface EngineAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const queueStatesSchema = v.array(
  v.object({
    name: v.string(),
    approximateMessageCount: v.number(),
    approximateInflightCount: v.number(),
    approximateDelayedCount: v.number(),
  }),
);
export type QueueState = v.InferOutput<typeof queueStatesSchema>[number];

/** The engine has one account and one way to write a queue's URL; callers see ours. */
const ENGINE_ACCOUNT_ID = '000000000000';
const ENGINE_REGION = 'us-east-1';
const ENGINE_HOST = 'queues';
const PREFIXED = /^AWS\.SimpleQueueService\.(?=InvalidParameterValue|MissingParameter)/;

/** The fauxqs engine for SQS and S3. It runs inside this process and opens no port. */
export async function startQueueEngine(): Promise<QueueEngine> {
  const engine = buildApp({ logger: false, defaultRegion: ENGINE_REGION });
  await engine.ready();
  return engine;
}

export function engineQueueUrl(name: string): string {
  return `http://sqs.${ENGINE_REGION}.localhost/${ENGINE_ACCOUNT_ID}/${name}`;
}

/** The ARN by which the engine finds a dead-letter queue. */
export function engineQueueArn(name: string): string {
  return `arn:aws:sqs:${ENGINE_REGION}:${ENGINE_ACCOUNT_ID}:${name}`;
}

/** Sends one call to the engine as it is. */
export async function callQueueEngine(
  engine: QueueEngine,
  action: string,
  body: unknown,
): Promise<EngineAnswer> {
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
  const error = answer.headers['x-amzn-query-error'];
  return {
    status: answer.statusCode,
    // Only some SQS codes carry the old prefix; the engine gives it to all.
    headers:
      error === undefined ? {} : { 'x-amzn-query-error': String(error).replace(PREFIXED, '') },
    body: answer.payload,
  };
}

/**
 * Makes a queue.
 *
 * @throws SettingError with the engine's reason.
 */
export async function createEngineQueue(
  engine: QueueEngine,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await callQueueEngine(engine, 'CreateQueue', {
    QueueName: name,
    Attributes: attributes,
  });
  if (answer.status === 200) return;
  throw new SettingError(name, `the queue cannot be made: ${answer.body}`);
}

/** How many messages each queue holds, by state. */
export async function queueStates(engine: QueueEngine): Promise<readonly QueueState[]> {
  const answer = await engine.inject({ method: 'GET', url: '/_fauxqs/queues' });
  return v.parse(queueStatesSchema, answer.json());
}
