import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** Under which the functions put everything. */
const PREFIX = 'exports/';

export interface ExportStoreProps {
  /** After how many days S3 deletes the objects of an export. @default - they are kept */
  readonly keepExportsDays?: number | undefined;
}

/** The bucket that exports are stored in. */
export class ExportStore extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { keepExportsDays }: ExportStoreProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Parts and manifests are never overwritten, and a customer's data that is deleted must be gone.
      versioned: false,
      removalPolicy: RemovalPolicy.RETAIN, // exports outlive the stack
      ...(keepExportsDays === undefined
        ? {}
        : { lifecycleRules: [{ prefix: PREFIX, expiration: Duration.days(keepExportsDays) }] }),
    });
  }

  /** What a worker does with objects. */
  allowWork(): readonly PolicyStatement[] {
    return [
      new PolicyStatement({
        actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
        resources: [this.bucket.arnForObjects(`${PREFIX}*`)],
      }),
      // Without it S3 answers 403 in place of 404 for an object that is not there.
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }),
    ];
  }
}
