import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  CfnBucket,
  type IBucket,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { SettingError } from '../../../lib/errors.ts';
import { COMPRESSIONS, endingOf } from '../../../lib/exports/compression.ts';
import { LATEST_EXPORT } from '../../../lib/exports/table-pointers.ts';
import { acknowledge, WildcardStatement } from './acknowledge.ts';
import { foundationOf } from './foundation.ts';

const PREFIX = 'exports/';
/** The objects that name the newest export of a connection. */
const LATEST = `${PREFIX}connection=*/latest.json`;
/** Of those whose verdict is complete. */
const LATEST_COMPLETE = `${PREFIX}connection=*/latest-complete.json`;
/** The objects that say which parts the tables read. */
const POINTERS = 'tables/';
const LATEST_POINTERS = `${POINTERS}connection=*/export=${LATEST_EXPORT}/parts.txt`;
const INDEXES = `${PREFIX}connection=*/export=*/part-*.index`;
/** What a description of an export writes beside it. */
const SCHEMAS = ['schema', 'schema-unfinished', 'latest-schema'].map(
  (name) => `${PREFIX}connection=*/${name}.json`,
);
const UNFINISHED = `${PREFIX}connection=*/schema-unfinished.json`;
/** What a comparison found, beside the manifest of the later export; earlier versions named the summary `changes.json`. */
const CHANGES = ['changes*.json', 'changes-*.ndjson.gz'].map(
  (name) => `${PREFIX}connection=*/export=*/${name}`,
);
/** Of whatever compression: the setting may change between two exports. */
const PARTS = COMPRESSIONS.map((each) => `${PREFIX}*/part-*${endingOf(each)}`);
/** By which a later export is compared with this one. */
const RECORD_INDEXES = `${PREFIX}connection=*/export=*/records-*.index`;
/** What a comparison that goes on with the next invocation keeps. */
const UNFINISHED_CHANGES = `${PREFIX}connection=*/export=*/changes-unfinished/*`;
/** What a completed export consists of. */
const FILES = [`${PREFIX}*/manifest.json`, ...PARTS];
/** What the records of an export look like. */
const LIST_SCHEMA = `${PREFIX}connection=*/export=*/schema.json`;

/** A mistake of a weekend is noticed by then, and data of customers that was deleted is gone soon. */
const DEFAULT_KEEP_DELETED = Duration.days(7);

/** Long enough to investigate an unwanted access afterwards. */
const KEEP_ACCESS_LOG = Duration.days(90);

export interface ExportStoreProps {
  /** @default - a new one, with an access log */
  readonly bucket?: Bucket | IBucket | undefined;
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

/** The bucket of the exports, and the bucket of its access log. */
export class ExportStore extends Construct {
  readonly bucket: Bucket | IBucket;

  /** @throws SettingError for `keepExports` or `keepDeleted` with a bucket of the user. */
  constructor(scope: Construct, id: string, { bucket, ...kept }: ExportStoreProps) {
    super(scope, id);
    const set = (['keepExports', 'keepDeleted'] as const).find((name) => kept[name] !== undefined);
    if (bucket !== undefined && set !== undefined) {
      throw new SettingError(
        set,
        'a bucket of your own has lifecycle rules and versions of your own: set them there, and leave this out',
      );
    }
    this.bucket = bucket ?? newBucket(this, kept);
  }

  allowWork(): readonly PolicyStatement[] {
    return [
      new WildcardStatement(
        {
          actions: ['s3:PutObject', 's3:DeleteObject'],
          resources: [this.bucket.arnForObjects(`${PREFIX}*`)],
        },
        'The names of objects hold the connection, the export and the part, which are made at run time.',
      ),
      new WildcardStatement(
        {
          actions: ['s3:GetObject'],
          resources: [LATEST, LATEST_COMPLETE, INDEXES, ...PARTS].map((name) =>
            this.bucket.arnForObjects(name),
          ),
        },
        'Which export is the newest, and the parts with their indexes: records that came twice are left out of them.',
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
          resources: [this.bucket.arnForObjects(LATEST)],
        },
        'One object of a fixed name for each connection; no part can be read.',
      ),
      this.#allowList(),
    ];
  }

  /** Allows reading the files of all exports; URLs that are signed with this right allow it too, each for its file. */
  allowPresign(): readonly PolicyStatement[] {
    return [
      new WildcardStatement(
        {
          actions: ['s3:GetObject'],
          resources: [...FILES, LIST_SCHEMA].map((name) => this.bucket.arnForObjects(name)),
        },
        'The names of objects hold the connection, the export and the part, which are made at run time.',
      ),
      this.#allowList(),
    ];
  }

  /** Allows reading what exports changed. */
  allowReadChanges(): readonly PolicyStatement[] {
    return [
      new WildcardStatement(
        {
          actions: ['s3:GetObject'],
          resources: CHANGES.map((name) => this.bucket.arnForObjects(name)),
        },
        'The names of objects hold the connection, the list and the export, which are made at run time.',
      ),
      this.#allowList(),
    ];
  }

  /** Allows what comparing needs besides describing: what it finds, and indexes of all records of an export. */
  allowCompare(): readonly PolicyStatement[] {
    const reason = 'The names of objects hold the connection, the list and the export.';
    const on = (actions: string[], names: readonly string[]) => {
      const resources = names.map((name) => this.bucket.arnForObjects(name));
      return new WildcardStatement({ actions, resources }, reason);
    };
    return [
      on(['s3:GetObject', 's3:PutObject'], [...CHANGES, RECORD_INDEXES, UNFINISHED_CHANGES]),
      on(['s3:DeleteObject'], [UNFINISHED_CHANGES]),
    ];
  }

  /** Allows reading complete exports, writing their reports, and saying which parts the tables read. */
  allowDescribe(): readonly PolicyStatement[] {
    const reason = 'The names of objects hold the connection, the list and the export.';
    const on = (actions: string[], names: readonly string[]) => {
      const resources = names.map((name) => this.bucket.arnForObjects(name));
      return new WildcardStatement({ actions, resources }, reason);
    };
    return [
      on(['s3:GetObject'], [...FILES, LATEST, ...SCHEMAS, LATEST_POINTERS]),
      on(['s3:PutObject'], [...SCHEMAS, `${POINTERS}*`]),
      on(['s3:DeleteObject'], [UNFINISHED]),
      this.#allowList(),
    ];
  }

  /** Allows reading the exports of some connections; none: of all. */
  allowRead(connections: readonly string[]): readonly PolicyStatement[] {
    return this.#allowReadUnder([PREFIX], connections);
  }

  /** The same, with the pointers of the tables and what Athena asks of every bucket that it reads. */
  allowQuery(connections: readonly string[]): readonly PolicyStatement[] {
    return [
      ...this.#allowReadUnder([PREFIX, POINTERS], connections),
      new PolicyStatement({
        actions: ['s3:GetBucketLocation'],
        resources: [this.bucket.bucketArn],
      }),
    ];
  }

  #allowReadUnder(
    roots: readonly string[],
    connections: readonly string[],
  ): readonly PolicyStatement[] {
    const prefixes = roots.flatMap((root) =>
      connections.length === 0
        ? [`${root}*`]
        : connections.map((connection) => `${root}connection=${connection}/*`),
    );
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

function newBucket(
  scope: Construct,
  { keepExports, keepDeleted = DEFAULT_KEEP_DELETED }: Omit<ExportStoreProps, 'bucket'>,
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
        : [PREFIX, POINTERS].map((prefix) => ({ prefix, expiration: keepExports }))),
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
