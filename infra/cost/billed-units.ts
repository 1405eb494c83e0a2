import { PRICES } from './prices.ts';

export interface BilledUnits {
  readonly lambdaGbSeconds: number;
  readonly lambdaRequests: number;
  /** One per started 64 KiB. */
  readonly sqsRequests: number;
  readonly dynamodbWriteUnits: number;
  readonly dynamodbReadUnits: number;
  /** PUT, COPY, POST and LIST. */
  readonly s3PutLike: number;
  /** GET, HEAD and the rest except DELETE, which is free. */
  readonly s3GetLike: number;
  readonly secretsManagerCalls: number;
  readonly eventBridgeEvents: number;
  readonly schedulerInvocations: number;
  /** One per started 512 KiB. */
  readonly httpApiRequests: number;
}

export type BilledService =
  | 'Lambda'
  | 'SQS'
  | 'DynamoDB'
  | 'S3'
  | 'Secrets Manager'
  | 'EventBridge'
  | 'API Gateway';

/** USD by service. Without storage (S3: 0.023 USD a GB and month), secrets (0.40 USD a month), logs, metrics. */
export function costByService(units: BilledUnits): Readonly<Record<BilledService, number>> {
  return {
    Lambda:
      units.lambdaGbSeconds * PRICES.lambdaGbSecond + units.lambdaRequests * PRICES.lambdaRequest,
    SQS: units.sqsRequests * PRICES.sqsRequest,
    DynamoDB:
      units.dynamodbWriteUnits * PRICES.dynamodbWriteUnit +
      units.dynamodbReadUnits * PRICES.dynamodbReadUnit,
    S3: units.s3PutLike * PRICES.s3PutLike + units.s3GetLike * PRICES.s3GetLike,
    'Secrets Manager': units.secretsManagerCalls * PRICES.secretsManagerCall,
    EventBridge:
      units.eventBridgeEvents * PRICES.eventBridgeEvent +
      units.schedulerInvocations * PRICES.schedulerInvocation,
    'API Gateway': units.httpApiRequests * PRICES.httpApiRequest,
  };
}

export function costUsdOf(units: BilledUnits): number {
  return Object.values(costByService(units)).reduce((total, each) => total + each, 0);
}
