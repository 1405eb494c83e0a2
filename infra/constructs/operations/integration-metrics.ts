import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import {
  METRIC_DIMENSION,
  METRIC_NAMESPACE,
  type MetricName,
} from '../../../functions/log/metrics.ts';
import type { Changes } from '../changes/changes.ts';
import type { DescribeExports } from '../exports/describe-exports.ts';
import type { StartAllExports } from '../exports/start-all-exports.ts';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import type { HttpApi } from '../http-api.ts';
import type { Writes } from '../writes/writes.ts';

export interface Watched {
  readonly worker: LambdaFunction;
  readonly start: LambdaFunction;
  readonly startAll: StartAllExports | undefined;
  readonly sweep: LambdaFunction;
  readonly measure: LambdaFunction | undefined;
  readonly httpApi: HttpApi | undefined;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly undelivered: Queue;
  readonly descriptions: DescribeExports | undefined;
  readonly changes: Changes | undefined;
  readonly table: Table | TableV2 | ITable;
  readonly writes: Writes | undefined;
}

/** Short enough to show a burst, and the period of the sweep, which writes the levels. */
export const PERIOD = Duration.minutes(5);

const SUM = { statistic: Stats.SUM, period: PERIOD };
/** The result of the latest sweep. */
const LEVEL = { statistic: Stats.MAXIMUM, period: PERIOD };

/** Who writes each metric, and what counts of its values. Of some there is no writer where their part is not deployed. */
const SOURCES = {
  steps: {
    ...SUM,
    by: ({ worker }: Watched) => worker,
    names: [
      ...['Steps', 'Pages', 'Customers', 'Requests', 'Throttles', 'WaitSeconds'],
      ...['ExportsCompleted', 'ExportsFailed', 'ExportsHalted'],
    ],
  },
  levels: {
    ...LEVEL,
    by: ({ sweep }: Watched) => sweep,
    names: ['StalledExports', 'HaltedExports', 'QueuedExports', 'LongestQueuedSeconds'],
  },
  persons: {
    ...SUM,
    by: ({ httpApi }: Watched) => httpApi?.function,
    names: ['ExportsCancelled'],
  },
  fanOut: {
    ...SUM,
    by: ({ startAll }: Watched) => startAll?.function,
    names: ['FanOutStarts', 'FanOutFailures'],
  },
  ages: {
    ...LEVEL,
    period: Duration.hours(1),
    by: ({ measure }: Watched) => measure,
    names: ['NewestCompleteAgeSeconds', 'ConnectionsOverdue', 'ConnectionsNeverExported'],
  },
  telling: { ...SUM, by: ({ changes }: Watched) => changes?.function, names: ['RecordEvents'] },
  changeLevels: {
    ...LEVEL,
    by: ({ changes, sweep }: Watched) => changes && sweep,
    names: ['ChangesHeld', 'StalledChanges', 'ChangesWaitingSeconds'],
  },
  writes: {
    ...SUM,
    by: ({ writes }: Watched) => writes?.function,
    names: ['WritesDone', 'WritesRefused', 'WritesUnclear'],
  },
  writeTimes: {
    ...SUM,
    statistic: Stats.percentile(95),
    by: ({ writes }: Watched) => writes?.function,
    names: ['WriteSeconds'],
  },
  writeLevels: {
    ...LEVEL,
    by: ({ writes, sweep }: Watched) => writes && sweep,
    names: ['UnclearWrites', 'StalledWrites', 'HaltedWrites'],
  },
} as const;

type NameIn<Source extends keyof typeof SOURCES> = (typeof SOURCES)[Source]['names'][number];
export type Written = NameIn<keyof typeof SOURCES>;
/** By functions that every integration has. */
export type AlwaysWritten = NameIn<'steps' | 'levels'>;

type NamedFunction = readonly [name: string, LambdaFunction];

/**
 * The metrics of an integration, for its alarms, its dashboard and others. One whose part is not deployed is `undefined`:
 * there is no alarm of it, and no graph shows it.
 */
export class IntegrationMetrics {
  readonly watched: Watched;

  constructor(watched: Watched) {
    this.watched = watched;
  }

  of(name: AlwaysWritten, label: string): Metric;
  of(name: Written, label: string): Metric | undefined;
  of(name: Written, label: string): Metric | undefined {
    const isOf = ({ names }: { readonly names: readonly string[] }) => names.includes(name);
    const { by, ...how } = Object.values(SOURCES).find(isOf) ?? SOURCES.steps;
    const writer = by(this.watched);
    return writer && metricOf(writer, name, label, how);
  }

  /** Failed exports: usually in a step, or in the sweep after a long halt. */
  failed(label: string, period = PERIOD): MathExpression {
    const inStep = this.of('ExportsFailed', label);
    const inSweep = metricOf(this.watched.sweep, 'ExportsFailed', label, SUM);
    return sumOf({ inStep, inSweep }, label, period);
  }

  /**
   * The sum over all functions that make requests: the new key, or the wait, is told to whichever meets it first. The sweep
   * tells of waits that the gate did not take from a write.
   */
  ofCallers(name: 'OrganizationChanges' | 'WaitsTooLong', label: string): MathExpression {
    const { worker, httpApi, writes, sweep } = this.watched;
    const callers = { worker, httpApi: httpApi?.function, writes: writes?.function };
    const tellsWaits = name === 'WaitsTooLong' && writes !== undefined;
    return sumOver(tellsWaits ? { ...callers, sweep } : callers, name, label);
  }

  /** Told after a comparison, or after a person has released them: by the queue or over HTTP. */
  told(
    name: 'RecordsAdded' | 'RecordsChanged' | 'RecordsRemoved',
    label: string,
  ): MathExpression | undefined {
    const { descriptions, changes, httpApi } = this.watched;
    if (changes === undefined) return undefined;
    const tellers = {
      descriptions: descriptions?.function,
      changes: changes.function,
      httpApi: httpApi?.function,
    };
    return sumOver(tellers, name, label);
  }

  /** How many messages wait in a queue. */
  waiting(queue: IQueue, label: string): Metric;
  waiting(queue: IQueue | undefined, label: string): Metric | undefined;
  waiting(queue: IQueue | undefined, label: string): Metric | undefined {
    return queue?.metricApproximateNumberOfMessagesVisible({ ...LEVEL, label });
  }

  oldestMessage(label: string): Metric {
    return this.watched.queue.metricApproximateAgeOfOldestMessage({ ...LEVEL, label });
  }

  /** The age of the oldest message of all queues but that of wake-ups, which the sweep would send again. */
  oldestOfOthers(label: string): MathExpression | undefined {
    const { startAll, descriptions, changes, writes } = this.watched;
    const queues = [
      startAll?.queue,
      ...[descriptions, changes, writes].map((part) => part?.queue.queue),
    ].filter((queue) => queue !== undefined);
    if (queues.length === 0) return undefined;
    const ages = queues.map(
      (queue, index) =>
        [`age${index}`, queue.metricApproximateAgeOfOldestMessage({ ...LEVEL, label })] as const,
    );
    return over('MAX', Object.fromEntries(ages), label);
  }

  workerThrottles(label: string): Metric {
    return this.watched.worker.metricThrottles({ ...SUM, label });
  }

  get functions(): readonly NamedFunction[] {
    return [...this.#working, ...this.#answering];
  }

  /** Those that queues, schedules and events invoke. */
  get #working(): readonly NamedFunction[] {
    const { worker, start, startAll, sweep, measure, descriptions, changes, writes } = this.watched;
    return named({
      worker,
      start,
      'start all': startAll?.function,
      sweep,
      measure,
      descriptions: descriptions?.function,
      'events of records': changes?.function,
      writes: writes?.function,
    });
  }

  /** Those whose answer somebody waits for. */
  get #answering(): readonly NamedFunction[] {
    const { httpApi } = this.watched;
    return named({
      'HTTP API': httpApi?.function,
      files: httpApi?.listFiles,
      changes: httpApi?.listChanges,
    });
  }

  errors(label: string): MathExpression {
    return sumOf(errorsOf(this.#working), label);
  }

  /**
   * Of the functions that answer over HTTP; `undefined` when there are none. Lambda counts those that ended without an
   * answer, and the others answered with 500.
   */
  httpErrors(label: string): MathExpression | undefined {
    const answering = this.#answering;
    if (answering.length === 0) return undefined;
    const answered = answering.map(
      ([, each], index) =>
        [`answered${index}`, metricOf(each, 'RequestsFailed', label, SUM)] as const,
    );
    return sumOf({ ...errorsOf(answering), ...Object.fromEntries(answered) }, label);
  }
}

function metricOf(
  by: LambdaFunction,
  metricName: MetricName,
  label: string,
  { statistic, period }: typeof SUM,
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { [METRIC_DIMENSION]: by.functionName },
    statistic,
    period,
    label,
  });
}

function sumOver(
  writers: Readonly<Record<string, LambdaFunction | undefined>>,
  name: MetricName,
  label: string,
): MathExpression {
  const usingMetrics: Record<string, IMetric> = {};
  for (const [id, by] of Object.entries(writers)) {
    // A graph of several sums takes each id once.
    if (by !== undefined) usingMetrics[`${id}${name}`] = metricOf(by, name, label, SUM);
  }
  return sumOf(usingMetrics, label);
}

/**
 * The sum of those that have a value, and none where none has one. `FILL(a, 0) + FILL(b, 0)` would be another thing: of a
 * metric without a value in the time that an alarm looks at there is nothing to fill, so the sum might have none for the
 * one that has; and where it is filled, the newest period is 0 before its values have come, and an alarm does not look back.
 */
export function sumOf(
  usingMetrics: Readonly<Record<string, IMetric>>,
  label: string,
  period = PERIOD,
): MathExpression {
  return over('SUM', usingMetrics, label, period);
}

function over(
  made: 'SUM' | 'MAX',
  usingMetrics: Readonly<Record<string, IMetric>>,
  label: string,
  period = PERIOD,
): MathExpression {
  const expression = `${made}([${Object.keys(usingMetrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics: { ...usingMetrics }, label, period });
}

function named(
  functions: Readonly<Record<string, LambdaFunction | undefined>>,
): readonly NamedFunction[] {
  return Object.entries(functions).flatMap(([name, each]) =>
    each === undefined ? [] : [[name, each] as const],
  );
}

/** @param functions Ten at most: an alarm takes no more metrics (API reference, PutMetricAlarm). */
function errorsOf(functions: readonly NamedFunction[]): Readonly<Record<string, IMetric>> {
  const errors = functions.map(
    ([, each], index) => [`errors${index}`, each.metricErrors(SUM)] as const,
  );
  return Object.fromEntries(errors);
}
