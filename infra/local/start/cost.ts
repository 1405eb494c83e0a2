import type { Usage } from '../endpoint/usage.ts';

/**
 * What AWS asks for, in USD, us-east-1, on demand, without free tiers. From the public price pages of
 * each service (aws.amazon.com/<service>/pricing), read for the dates given.
 */
export const PRICES = {
  asOf: '2026-11-21',
  region: 'us-east-1',
  /** Lambda on arm64. */
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2 / 1e6,
  /** Standard queue, per request of up to 64 KB. */
  sqsRequest: 0.4 / 1e6,
  dynamodbWriteUnit: 0.625 / 1e6,
  dynamodbReadUnit: 0.125 / 1e6,
  s3PutLike: 5 / 1e6,
  s3GetLike: 0.4 / 1e6,
  secretsManagerCall: 5 / 1e6,
  eventBridgeEvent: 1 / 1e6,
  schedulerInvocation: 1 / 1e6,
} as const;

/**
 * What the counted operations would cost, without storage, which lasts as long as the files are kept
 * (0.023 USD a GB and month), and without the secret itself (0.40 USD a month).
 */
export function costUsdOf(usage: Usage): number {
  const functions = Object.values(usage.lambda);
  const sum = (read: (each: (typeof functions)[number]) => number) =>
    functions.reduce((total, each) => total + read(each), 0);
  const calls = Object.values(usage.secretsManager.requests).reduce(
    (total, each) => total + each,
    0,
  );
  return (
    sum(({ gbSeconds }) => gbSeconds) * PRICES.lambdaGbSecond +
    sum(({ invocations }) => invocations) * PRICES.lambdaRequest +
    usage.sqs.billedRequests * PRICES.sqsRequest +
    usage.dynamodb.writeUnits * PRICES.dynamodbWriteUnit +
    usage.dynamodb.readUnits * PRICES.dynamodbReadUnit +
    usage.s3.putLike * PRICES.s3PutLike +
    usage.s3.getLike * PRICES.s3GetLike +
    calls * PRICES.secretsManagerCall +
    usage.eventBridge.events * PRICES.eventBridgeEvent +
    usage.scheduler.invocations * PRICES.schedulerInvocation
  );
}
