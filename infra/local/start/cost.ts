import type { BilledUnits } from '../../cost/billed-units.ts';
import type { Usage } from '../endpoint/usage.ts';

/** What the local stack counted, in the units that AWS bills. */
export function billedUnitsOf(usage: Usage): BilledUnits {
  const functions = Object.values(usage.lambda);
  return {
    lambdaGbSeconds: sum(functions.map(({ gbSeconds }) => gbSeconds)),
    lambdaRequests: sum(functions.map(({ invocations }) => invocations)),
    sqsRequests: usage.sqs.billedRequests,
    dynamodbWriteUnits: usage.dynamodb.writeUnits,
    dynamodbReadUnits: usage.dynamodb.readUnits,
    s3PutLike: usage.s3.putLike,
    s3GetLike: usage.s3.getLike,
    secretsManagerCalls: usage.secretsManager.requests,
    eventBridgeEvents: usage.eventBridge.events,
    schedulerInvocations: usage.scheduler.invocations,
    httpApiRequests: usage.apiGateway.billedRequests,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
