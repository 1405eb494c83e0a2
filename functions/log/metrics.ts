export const METRIC_NAMESPACE = 'CustomersFunctions';

/**
 * The only dimension: it separates two stacks of an account. A dimension for the connection would make
 * one custom metric a connection, 0.30 USD a month each: with 1,000 connections 300 USD a month for every
 * metric that has it. Which connection it was is in the same line of the log, where it can be asked for.
 */
export const METRIC_DIMENSION = 'FunctionName';

const UNITS = {
  /** Handled steps: those that were claimed, so no repeated messages and no hops of a long wait. */
  Steps: 'Count',
  Pages: 'Count',
  Customers: 'Count',
  Requests: 'Count',
  Throttles: 'Count',
  /** Waits that the API asked for. */
  WaitSeconds: 'Seconds',
  /** Waits longer than `maxWaitSeconds`: nobody sits them out. */
  WaitsTooLong: 'Count',
  /** Requests over HTTP that were answered with 500: an error is no error of the function then. */
  RequestsFailed: 'Count',
  ExportsCompleted: 'Count',
  ExportsFailed: 'Count',
  ExportsHalted: 'Count',
  ExportsCancelled: 'Count',
  /** Level: exports that stand still now. */
  StalledExports: 'Count',
  /** Level: exports that wait for a new key now. */
  HaltedExports: 'Count',
  /** Level: exports that wait for the turn of their list now. */
  QueuedExports: 'Count',
  /** Level: how long the one that has waited the longest has done so; 0 when none does. */
  LongestQueuedSeconds: 'Seconds',
  /** Published changes of a connection's organization, by whichever function met the new key. */
  OrganizationChanges: 'Count',
  /** Exports that the schedule for all connections started or joined. */
  FanOutStarts: 'Count',
  /** Starts of it that failed; they are tried again. */
  FanOutFailures: 'Count',
  /** Level: since the end of the newest completed export, of the list where it is the oldest. */
  NewestCompleteAgeSeconds: 'Seconds',
  /** Level: lists of connections whose newest completed export is older than the hours that are set. */
  ConnectionsOverdue: 'Count',
  /** Level: lists of connections that have had so many hours and no completed export at all. */
  ConnectionsNeverExported: 'Count',
  /** Records that are new, other or gone, between two exports whose changes are told. */
  RecordsAdded: 'Count',
  RecordsChanged: 'Count',
  RecordsRemoved: 'Count',
  /** Events of single records that were sent. */
  RecordEvents: 'Count',
  /** Level: changes that wait for a person now. */
  ChangesHeld: 'Count',
  /** Level: changes that stand still on their way to be told now. */
  StalledChanges: 'Count',
  /** Level: how long the changes have been on their way which have been so the longest; 0 when none are. */
  ChangesWaitingSeconds: 'Seconds',
  WritesDone: 'Count',
  WritesRefused: 'Count',
  WritesUnclear: 'Count',
  /** From accepting a write to its end. */
  WriteSeconds: 'Seconds',
  /** Level: unclear writes that wait for a person now. */
  UnclearWrites: 'Count',
  /** Level: writes that stand still now. */
  StalledWrites: 'Count',
  /** Level: writes that wait for a new key now. */
  HaltedWrites: 'Count',
} as const;

export type MetricName = keyof typeof UNITS;

/** The metrics of one line of the log, by the names of this package's. */
export interface MetricValues extends Partial<Readonly<Record<MetricName, number>>> {}

/** `_aws` of a line in CloudWatch's Embedded Metric Format. */
interface MetricDirective {
  /** Milliseconds since the epoch. */
  readonly Timestamp: number;
  readonly CloudWatchMetrics: readonly {
    readonly Namespace: string;
    readonly Dimensions: readonly (readonly string[])[];
    readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
  }[];
}

type MetricFields = Readonly<Record<string, MetricDirective | string | number>>;

/**
 * Makes metrics of the fields of one log line: CloudWatch Logs reads them from there, so that no call and
 * no permission is needed (CloudWatch user guide, "Embedded metric format specification").
 *
 * @returns Nothing when there is no value.
 */
export function metricFields(
  values: MetricValues,
  functionName: string,
  nowMs: number,
): MetricFields {
  const given = new Map(Object.entries(values));
  const metrics = Object.entries(UNITS)
    .filter(([name]) => given.has(name))
    .map(([name, unit]) => ({ Name: name, Unit: unit }));
  if (metrics.length === 0) return {};
  return {
    _aws: {
      Timestamp: nowMs,
      CloudWatchMetrics: [
        { Namespace: METRIC_NAMESPACE, Dimensions: [[METRIC_DIMENSION]], Metrics: metrics },
      ],
    },
    [METRIC_DIMENSION]: functionName,
    ...values,
  };
}
