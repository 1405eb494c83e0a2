import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  CfnBucket,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { foundationOf } from './foundation.ts';

/** A mistake of a weekend is noticed by then, and data of customers that was deleted is gone soon. */
const DEFAULT_KEEP_DELETED = Duration.days(7);

/** Long enough to investigate an unwanted access afterwards. */
const KEEP_ACCESS_LOG = Duration.days(90);

export interface ExportBucketProps {
  /** When S3 deletes the objects of an export, whole days. @default - never */
  readonly keepExports?: Duration | undefined;
  /** How long S3 keeps what was deleted or replaced, whole days. `false`: not at all. @default 7 days */
  readonly keepDeleted?: Duration | false | undefined;
}

/** Customer data: only for the bucket's owner, and only over TLS. */
const PRIVATE = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
} as const;

/** A bucket for exports, and the bucket of its access log. @param prefixes Under which the objects of exports are. */
export function newBucket(
  scope: Construct,
  prefixes: readonly string[],
  { keepExports, keepDeleted = DEFAULT_KEEP_DELETED }: ExportBucketProps,
): Bucket {
  const { encryptionKey, removalPolicy } = foundationOf(scope);
  const bucket = new Bucket(scope, 'Bucket', {
    ...PRIVATE,
    ...(encryptionKey === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
    // No function may delete a version, so what a mistake deletes or replaces can be fetched back.
    versioned: keepDeleted !== false,
    removalPolicy,
    lifecycleRules: [
      ...(keepExports === undefined
        ? []
        : prefixes.map((prefix) => ({ prefix, expiration: keepExports }))),
      ...(keepDeleted === false ? [] : [endOfVersions(keepDeleted)]),
    ],
  });
  logAccess(scope, bucket, removalPolicy);
  return bucket;
}

/** Without it versions would be billed for ever, and so would the marks of deleted objects. */
function endOfVersions(keepDeleted: Duration): LifecycleRule {
  return { noncurrentVersionExpiration: keepDeleted, expiredObjectDeleteMarker: true };
}

function logAccess(scope: Construct, bucket: Bucket, removalPolicy: RemovalPolicy): void {
  const log = new Bucket(scope, 'AccessLog', {
    ...PRIVATE,
    // S3 cannot deliver to a bucket with default encryption by KMS (user guide, "Enabling server access
    // logging").
    encryption: BucketEncryption.S3_MANAGED,
    removalPolicy, // like the bucket that it logs
    lifecycleRules: [{ expiration: KEEP_ACCESS_LOG }],
  });
  // Only for this bucket (user guide, "Enabling Amazon S3 server access logging").
  log.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('logging.s3.amazonaws.com')],
      actions: ['s3:PutObject'],
      resources: [log.arnForObjects('*')],
      conditions: {
        ArnLike: { 'aws:SourceArn': bucket.bucketArn },
        StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
      },
    }),
  );
  acknowledge(
    log,
    'AwsSolutions-S1',
    'It holds an access log; logging the writing of a log would never end.',
  );
  const { defaultChild } = bucket.node;
  if (!(defaultChild instanceof CfnBucket)) throw new Error('The bucket has no resource.');
  defaultChild.loggingConfiguration = { destinationBucketName: log.bucketName };
}
