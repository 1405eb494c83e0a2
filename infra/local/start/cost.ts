import { PRICES } from '../../prices.ts';
import type { Usage } from '../endpoint/usage.ts';

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
