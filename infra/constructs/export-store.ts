import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  CfnBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge, WildcardStatement } from './acknowledge.ts';

/** Under which the functions put everything. */
const PREFIX = 'exports/';

/** Long enough to find out who read what, once it is known that somebody did. */
const KEEP_ACCESS_LOG = Duration.days(90);

export interface ExportStoreProps {
  /** After how many days S3 deletes the objects of an export. @default - they are kept */
  readonly keepExportsDays?: number | undefined;
}

/** Customers' data: for the owner of the bucket, encrypted at rest and on its way. */
const PRIVATE = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
} as const;

/** The bucket that exports are stored in, and the one for the log of who accessed it. */
export class ExportStore extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { keepExportsDays }: ExportStoreProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      ...PRIVATE,
      // Parts and manifests are never overwritten, and a customer's data that is deleted must be gone.
      versioned: false,
      removalPolicy: RemovalPolicy.RETAIN, // exports outlive the stack
      ...(keepExportsDays === undefined
        ? {}
        : { lifecycleRules: [{ prefix: PREFIX, expiration: Duration.days(keepExportsDays) }] }),
    });
    logAccess(this, this.bucket);
  }

  /** What a worker does with objects. */
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

  /** Allows to find out which complete export of each connection is the newest. */
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

  /** Without it S3 answers 403 in place of 404 for an object that is not there. */
  #allowList(): PolicyStatement {
    return new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] });
  }
}

/** Keeps who asked the bucket for what, in a bucket of its own. */
function logAccess(scope: Construct, bucket: Bucket): void {
  const log = new Bucket(scope, 'AccessLog', {
    ...PRIVATE,
    removalPolicy: RemovalPolicy.RETAIN, // as what it tells about
    lifecycleRules: [{ expiration: KEEP_ACCESS_LOG }],
  });
  // S3 writes for this bucket alone (user guide, "Enabling Amazon S3 server access logging").
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
