import type { Duration } from 'aws-cdk-lib';
import type { ITable, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { ConnectionTable } from '../../functions/services/connection-settings.ts';
import type { SchedulePlaces } from './exports/planned-starts.ts';
import type { FoundationProps } from './foundation/foundation-props.ts';
import type { HttpApiSettings } from './http-api.ts';
import type { OutputOptions } from './integration-outputs.ts';
import type { AlarmOptions } from './operations/alarms.ts';

export interface CustomersIntegrationProps extends FoundationProps, SchedulePlaces {
  /** Settings for all connections, and for single connections by name. */
  readonly connectionTable: ConnectionTable;
  /**
   * Names this integration in the events that it takes and publishes: up to 128 letters, digits, hyphens, dots
   * and underscores, unique in the account and region.
   *
   * @default - the name of the stack and the ids of the constructs down to this one, joined by dots
   */
  readonly integrationId?: string | undefined;
  /** Concurrent steps of exports, 2 to 1,000. @default 50 */
  readonly maxConcurrentExports?: number | undefined;
  /**
   * The key of a connection is the secret `<secretPrefix><connection>`, and each such secret is a connection.
   *
   * @default - `customers-functions/<integrationId>/`
   */
  readonly secretPrefix?: string | undefined;
  /**
   * Whether another integration of the app may read the same secrets. Both export with them then, and neither knows
   * what the API asked the other to wait: only for as long as one takes over from the other.
   *
   * @default false
   */
  readonly sharesSecrets?: boolean | undefined;
  /**
   * Stores the exports, under `exports/` and `tables/`. Your own bucket should refuse requests without TLS and block
   * public access. Its objects are written once, and deleted only when an export is abandoned.
   *
   * @default - a new one, with an access log in another bucket
   */
  readonly bucket?: Bucket | IBucket | undefined;
  /**
   * The ledger. Your own table needs the keys and the indexes in docs/your-own-resources.md.
   *
   * @default - a new one, billed per request, with point-in-time recovery for 35 days
   */
  readonly table?: Table | TableV2 | ITable | undefined;
  /** Events are published on it, and requests are read from it. @default - the default bus of the account */
  readonly eventBus?: IEventBus | undefined;
  /** When S3 deletes the objects of an export, whole days. Not with your own bucket. @default - never */
  readonly keepExports?: Duration | undefined;
  /**
   * How long S3 keeps objects that were deleted or replaced, whole days: so long a mistake can be undone, and so
   * long data is still there. `false`: not at all. Not with your own bucket.
   *
   * @default Duration.days(7)
   */
  readonly keepDeleted?: Duration | false | undefined;
  /**
   * DynamoDB refuses to delete the table, whoever asks. Not with your own table.
   *
   * @default true, unless `removalPolicy` may delete it
   */
  readonly deletionProtection?: boolean | undefined;
  /** `false`: no report of what the records look like, and no tables, which need the same function. @default true */
  readonly describeExports?: boolean | undefined;
  /**
   * `false`: no export is compared with the one before it, and no changes are told. It needs `describeExports`.
   *
   * @default - as `describeExports`
   */
  readonly compareExports?: boolean | undefined;
  /** `false`: no Glue database, so no tables for Athena. @default true */
  readonly tables?: boolean | undefined;
  /** `false`: no HTTP API. @default - an HTTP API whose callers IAM authorizes */
  readonly httpApi?: HttpApiSettings | false | undefined;
  /** `false`: no alarms. @default - alarms that notify nobody, see {@link AlarmOptions} */
  readonly alarms?: AlarmOptions | false | undefined;
  /**
   * `false`: no outputs of the stack. The commands in the documentation, and `npx customers-functions`, find the
   * integration by them.
   *
   * @default - outputs whose names begin with the id of this construct, see {@link OutputOptions}
   */
  readonly outputs?: OutputOptions | false | undefined;
}
