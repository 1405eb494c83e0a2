import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  CfnBucket,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { SettingError } from '../../../lib/errors.ts';
import { acknowledge, WildcardStatement } from './acknowledge.ts';
import { foundationOf } from './foundation.ts';

const PREFIX = 'exports/';

/** Long enough to investigate an unwanted access afterwards. */
const KEEP_ACCESS_LOG = Duration.days(90);

export interface ExportStoreProps {
  /** @default - a new one, with an access log */
  readonly bucket?: Bucket | IBucket | undefined;
  /** When S3 deletes the objects of an export, whole days. @default - never */
  readonly keepExports?: Duration | undefined;
}

/** Customer data: only for the bucket's owner, and only over TLS. */
const PRIVATE = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
} as const;

/** The bucket of the exports, and the bucket of its access log. */
export class ExportStore extends Construct {
  readonly bucket: Bucket | IBucket;

  /** @throws SettingError for `keepExports` with a bucket of the user. */
  constructor(scope: Construct, id: string, { bucket, keepExports }: ExportStoreProps) {
    super(scope, id);
    if (bucket !== undefined && keepExports !== undefined) {
      throw new SettingError(
        'keepExports',
        'a bucket of your own has lifecycle rules of your own: add one for the prefix exports/ there, and leave this out',
      );
    }
    this.bucket = bucket ?? newBucket(this, keepExports);
  }

  allowWork(): readonly PolicyStatement[] {
    return [
      new WildcardStatement(
        {
          actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
          resources: [this.bucket.arnForObjects(`${PREFIX}*`)],
        },
        'The names of objects hold the connection, the export and the part, which are made at run time.',
      ),
      this.#allowList(),
    ];
  }

  /** Allows reading which complete export of each connection is the newest. */
  allowReadLatest(): readonly PolicyStatement[] {
    return [
      new WildcardStatement(
        {
          actions: ['s3:GetObject'],
          resources: [this.bucket.arnForObjects(`${PREFIX}connection=*/latest.json`)],
        },
        'One object of a fixed name for each connection; no part can be read.',
      ),
      this.#allowList(),
    ];
  }

  /** Allows reading the exports of some connections; none: of all. */
  allowRead(connections: readonly string[]): readonly PolicyStatement[] {
    const prefixes =
      connections.length === 0
        ? [`${PREFIX}*`]
        : connections.map((connection) => `${PREFIX}connection=${connection}/*`);
    return [
      new WildcardStatement(
        {
          actions: ['s3:GetObject'],
          resources: prefixes.map((prefix) => this.bucket.arnForObjects(prefix)),
        },
        'The names of objects hold the export and the part, which are made at run time.',
      ),
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': prefixes } },
      }),
    ];
  }

  /** Without it S3 answers 403 instead of 404 for a missing object. */
  #allowList(): PolicyStatement {
    return new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] });
  }
}

function newBucket(scope: Construct, keepExports: Duration | undefined): Bucket {
  const { encryptionKey, removalPolicy } = foundationOf(scope);
  const bucket = new Bucket(scope, 'Bucket', {
    ...PRIVATE,
    ...(encryptionKey === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
    // Parts and manifests are never overwritten, and deleted customer data must be gone.
    versioned: false,
    removalPolicy,
    ...(keepExports === undefined
      ? {}
      : { lifecycleRules: [{ prefix: PREFIX, expiration: keepExports }] }),
  });
  logAccess(scope, bucket, removalPolicy);
  return bucket;
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
