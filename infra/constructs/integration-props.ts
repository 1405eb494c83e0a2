import type { Duration } from 'aws-cdk-lib';
import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { ConnectionTable } from '../../functions/services/connection-settings.ts';
import type { PlannedExports } from './exports/export-schedules.ts';
import type { FoundationProps } from './foundation/foundation-props.ts';
import type { HttpApiSettings } from './http-api.ts';
import type { AlarmOptions } from './operations/alarms.ts';

export interface CustomersIntegrationProps extends FoundationProps {
  /** The settings that all connections share, and those of single ones by name. */
  readonly connectionTable: ConnectionTable;
  /**
   * When the exports of every connection start that has no schedule of its own: `rate` or `cron`, alone or
   * with more.
   *
   * @default - exports are started otherwise
   */
  readonly schedule?: PlannedExports | undefined;
  /** By connection, like `schedule`; `{ enabled: false }` leaves one out. @default - as `schedule` says */
  readonly schedules?: Readonly<Record<string, PlannedExports>> | undefined;
  /** Steps of exports at once, 2 to 1,000. @default 50 */
  readonly maxConcurrentExports?: number | undefined;
  /** The key of a connection is the secret `<secretPrefix><connection>`. @default 'customers-api/' */
  readonly secretPrefix?: string | undefined;
  /**
   * Gets the exports, under `exports/`. One of your own should refuse requests without TLS and block public
   * access; objects there are written once, and deleted only when an export was given up.
   *
   * @default - a new one, with an access log in another
   */
  readonly bucket?: Bucket | IBucket | undefined;
  /**
   * The ledger. One of your own has the keys and the indexes that docs/your-own-resources.md lists.
   *
   * @default - a new one, paid by request, with recovery to any second of the last 35 days
   */
  readonly table?: Table | ITable | undefined;
  /** Events are published to it and asked for on it. @default - the default bus of the account */
  readonly eventBus?: IEventBus | undefined;
  /**
   * After what time S3 deletes the objects of an export, whole days. Not with a bucket of your own.
   *
   * @default - they are kept
   */
  readonly keepExports?: Duration | undefined;
  /** `false`: there is no HTTP API. @default - one whose callers are authorized by IAM */
  readonly httpApi?: HttpApiSettings | false | undefined;
  /** `false`: there are no alarms. @default - alarms that tell nobody, see {@link AlarmOptions} */
  readonly alarms?: AlarmOptions | false | undefined;
}
