/**
 * AWS prices in USD, us-east-1, on demand, without free tiers. From the public price page of each service
 * (aws.amazon.com/<service>/pricing), read on the date `asOf`.
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
  /** HTTP API, per request of up to 512 KB; the first 300 million a month. */
  httpApiRequest: 1 / 1e6,
} as const;
