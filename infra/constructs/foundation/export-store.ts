import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { SettingError } from '../../../lib/errors.ts';
import { COMPRESSIONS, endingOf } from '../../../lib/exports/compression.ts';
import {
  connectionFolder,
  EXPORTS_FOLDER,
  INDEX_ENDING,
  listSchemaKey,
  OBJECT_NAMES,
  unfinishedSchemaKey,
} from '../../../lib/exports/store-objects.ts';
import {
  LATEST_EXPORT,
  POINTERS_FILE,
  POINTERS_FOLDER,
} from '../../../lib/exports/table-pointers.ts';
import { WildcardStatement } from './acknowledge.ts';
import { type ExportBucketProps, newBucket } from './export-bucket.ts';

/** Of every connection. In a permission the star reaches over slashes, to the folders of lists and of exports too. */
const CONNECTION = connectionFolder('*');
/** Of every export of every list. */
const EXPORT = `${CONNECTION}export=*/`;
const LATEST = `${CONNECTION}${OBJECT_NAMES.latest}`;
/** Of those whose verdict is complete. */
const LATEST_COMPLETE = `${CONNECTION}${OBJECT_NAMES.latestComplete}`;
const LATEST_POINTERS = `${POINTERS_FOLDER}connection=*/export=${LATEST_EXPORT}/${POINTERS_FILE}`;
const INDEXES = `${EXPORT}${OBJECT_NAMES.part}*${INDEX_ENDING}`;
const UNFINISHED = unfinishedSchemaKey(CONNECTION);
/** What a description of an export writes beside it. */
const SCHEMAS = [
  listSchemaKey(CONNECTION),
  UNFINISHED,
  `${CONNECTION}${OBJECT_NAMES.latestSchema}`,
];
/** What a comparison found, beside the manifest of the later export; earlier versions named the summary `changes.json`. */
const CHANGES = [`${EXPORT}changes*.json`, `${EXPORT}${OBJECT_NAMES.changes}*${endingOf('gzip')}`];
/** Of whatever compression: the setting may change between two exports. */
const PARTS = COMPRESSIONS.map(
  (each) => `${EXPORTS_FOLDER}*/${OBJECT_NAMES.part}*${endingOf(each)}`,
);
/** By which a later export is compared with this one. */
const RECORD_INDEXES = `${EXPORT}${OBJECT_NAMES.recordsIndex}*${INDEX_ENDING}`;
/** What a comparison that goes on with the next invocation keeps. */
const UNFINISHED_CHANGES = `${EXPORT}${OBJECT_NAMES.unfinishedChanges}*`;
/** What a completed export consists of. */
const FILES = [`${EXPORTS_FOLDER}*/${OBJECT_NAMES.manifest}`, ...PARTS];
const LIST_SCHEMA = listSchemaKey(EXPORT);

/** Why no object is named in a statement. */
const MADE_AT_RUN_TIME =
  'The names of objects hold the connection, the export and the part, which are made at run time.';

export interface ExportStoreProps extends ExportBucketProps {
  /** @default - a new one, with an access log */
  readonly bucket?: Bucket | IBucket | undefined;
}

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
    this.bucket = bucket ?? newBucket(this, [EXPORTS_FOLDER, POINTERS_FOLDER], kept);
  }

  allowWork(): readonly PolicyStatement[] {
    const why =
      'Which export is the newest, and the parts with their indexes: records that came twice are left out of them.';
    return [
      this.#allowOn(['s3:PutObject', 's3:DeleteObject'], [`${EXPORTS_FOLDER}*`]),
      this.#allowOn(['s3:GetObject'], [LATEST, LATEST_COMPLETE, INDEXES, ...PARTS], why),
      this.#allowList(),
    ];
  }

  /** Allows reading which completed export of each connection is the newest. */
  allowReadLatest(): readonly PolicyStatement[] {
    const why = 'One object of a fixed name for each connection; no part can be read.';
    return [this.#allowOn(['s3:GetObject'], [LATEST], why), this.#allowList()];
  }

  /** Allows reading the files of all exports; URLs that are signed with this right allow it too, each for its file. */
  allowPresign(): readonly PolicyStatement[] {
    return [this.#allowOn(['s3:GetObject'], [...FILES, LIST_SCHEMA]), this.#allowList()];
  }

  allowReadChanges(): readonly PolicyStatement[] {
    return [this.#allowOn(['s3:GetObject'], CHANGES), this.#allowList()];
  }

  /** Allows what comparing needs besides describing: what it finds, and indexes of all records of an export. */
  allowCompare(): readonly PolicyStatement[] {
    const found = [...CHANGES, RECORD_INDEXES, UNFINISHED_CHANGES];
    return [
      this.#allowOn(['s3:GetObject', 's3:PutObject'], found),
      this.#allowOn(['s3:DeleteObject'], [UNFINISHED_CHANGES]),
    ];
  }

  /** Allows reading completed exports, writing their reports, and saying which parts the tables read. */
  allowDescribe(): readonly PolicyStatement[] {
    return [
      this.#allowOn(['s3:GetObject'], [...FILES, LATEST, ...SCHEMAS, LATEST_POINTERS]),
      this.#allowOn(['s3:PutObject'], [...SCHEMAS, `${POINTERS_FOLDER}*`]),
      this.#allowOn(['s3:DeleteObject'], [UNFINISHED]),
      this.#allowList(),
    ];
  }

  /** Allows reading the exports of some connections, or of all. */
  allowRead(connections?: readonly string[]): readonly PolicyStatement[] {
    return this.#allowReadUnder([EXPORTS_FOLDER], connections);
  }

  /** The same, with the pointers of the tables and what Athena asks of every bucket that it reads. */
  allowQuery(connections?: readonly string[]): readonly PolicyStatement[] {
    return [
      ...this.#allowReadUnder([EXPORTS_FOLDER, POINTERS_FOLDER], connections),
      new PolicyStatement({
        actions: ['s3:GetBucketLocation'],
        resources: [this.bucket.bucketArn],
      }),
    ];
  }

  #allowReadUnder(
    roots: readonly string[],
    connections: readonly string[] | undefined,
  ): readonly PolicyStatement[] {
    const prefixes = roots.flatMap(
      (root) =>
        connections?.map((connection) => `${root}connection=${connection}/*`) ?? [`${root}*`],
    );
    return [
      this.#allowOn(['s3:GetObject'], prefixes),
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': prefixes } },
      }),
    ];
  }

  #allowOn(
    actions: string[],
    names: readonly string[],
    reason = MADE_AT_RUN_TIME,
  ): WildcardStatement {
    const resources = names.map((name) => this.bucket.arnForObjects(name));
    return new WildcardStatement({ actions, resources }, reason);
  }

  /** Without it S3 answers 403 instead of 404 for a missing object. */
  #allowList(): PolicyStatement {
    return new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] });
  }
}
