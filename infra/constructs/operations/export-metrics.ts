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
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import type { HttpApi } from '../http-api.ts';
import type { Writes } from '../writes/writes.ts';

export interface Watched {
  readonly worker: LambdaFunction;
  readonly start: LambdaFunction;
  readonly startAll: LambdaFunction | undefined;
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

/** How many messages wait in a queue. */
export function waitingIn(queue: IQueue, label: string): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({
    statistic: Stats.MAXIMUM,
    period: PERIOD,
    label,
  });
}

type ExportLevel = Extract<
  MetricName,
  'StalledExports' | 'HaltedExports' | 'QueuedExports' | 'LongestQueuedSeconds'
>;

/** Short enough to show a burst, and the period of the sweep, which writes the levels. */
export const PERIOD = Duration.minutes(5);

export function metricOf(
  by: LambdaFunction,
  metricName: MetricName,
  label: string,
  statistic: string,
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { [METRIC_DIMENSION]: by.functionName },
    statistic,
    period: PERIOD,
    label,
  });
}

export class ExportMetrics {
  readonly watched: Watched;

  constructor(watched: Watched) {
    this.watched = watched;
  }

  ofSteps(name: MetricName, label: string): Metric {
    return metricOf(this.watched.worker, name, label, Stats.SUM);
  }

  /** The result of the latest sweep. */
  level(name: ExportLevel, label: string): Metric {
    return metricOf(this.watched.sweep, name, label, Stats.MAXIMUM);
  }

  /** Failed exports: usually in a step, or in the sweep after a long halt. */
  failed(label: string, period = PERIOD): MathExpression {
    return new MathExpression({
      expression: 'FILL(inStep, 0) + FILL(inSweep, 0)',
      usingMetrics: {
        inStep: this.ofSteps('ExportsFailed', label),
        inSweep: metricOf(this.watched.sweep, 'ExportsFailed', label, Stats.SUM),
      },
      label,
      period,
    });
  }

  /** By a person over the HTTP API; `undefined` when there is none. */
  cancelled(label: string): Metric | undefined {
    const { httpApi } = this.watched;
    return httpApi && metricOf(httpApi.function, 'ExportsCancelled', label, Stats.SUM);
  }

  /** Changes of organizations, in whichever function met the new key first. */
  organizationChanges(label: string): MathExpression {
    return this.#ofCallers('OrganizationChanges', label);
  }

  /** Waits longer than `maxWaitSeconds`, whichever function was told of them. */
  waitsTooLong(label: string): MathExpression {
    return this.#ofCallers('WaitsTooLong', label);
  }

  /** For the list with the oldest one; `undefined` when none is measured. */
  newestCompleteAge(label: string): Metric | undefined {
    return this.#measured('NewestCompleteAgeSeconds', label, Stats.MAXIMUM);
  }

  overdue(label: string): Metric | undefined {
    return this.#measured('ConnectionsOverdue', label, Stats.MAXIMUM);
  }

  neverExported(label: string): Metric | undefined {
    return this.#measured('ConnectionsNeverExported', label, Stats.MAXIMUM);
  }

  /** The starts of the schedule for all connections; `undefined` when there is none. */
  ofFanOut(name: 'FanOutStarts' | 'FanOutFailures', label: string): Metric | undefined {
    const { startAll } = this.watched;
    return startAll === undefined ? undefined : metricOf(startAll, name, label, Stats.SUM);
  }

  waiting(queue: IQueue, label: string): Metric {
    return waitingIn(queue, label);
  }

  oldestMessage(label: string): Metric {
    return this.watched.queue.metricApproximateAgeOfOldestMessage({
      statistic: Stats.MAXIMUM,
      period: PERIOD,
      label,
    });
  }

  workerThrottles(label: string): Metric {
    return this.watched.worker.metricThrottles({ statistic: Stats.SUM, period: PERIOD, label });
  }

  get functions(): readonly NamedFunction[] {
    return [...this.#working, ...this.#answering];
  }

  /** Those that queues, schedules and events invoke. */
  get #working(): readonly NamedFunction[] {
    const { worker, start, startAll, sweep, measure, descriptions, changes, writes } = this.watched;
    return [
      ['worker', worker],
      ['start', start],
      ...(startAll === undefined ? [] : [['start all', startAll] as const]),
      ['sweep', sweep],
      ...(measure === undefined ? [] : [['measure', measure] as const]),
      ...(descriptions === undefined ? [] : [['descriptions', descriptions.function] as const]),
      ...(changes === undefined ? [] : [['events of records', changes.function] as const]),
      ...(writes === undefined ? [] : [['writes', writes.function] as const]),
    ];
  }

  /** Those whose answer somebody waits for. */
  get #answering(): readonly NamedFunction[] {
    const { httpApi } = this.watched;
    if (httpApi === undefined) return [];
    const { function: own, listFiles, listChanges } = httpApi;
    return [
      ['HTTP API', own],
      ['files', listFiles],
      ...(listChanges === undefined ? [] : [['changes', listChanges] as const]),
    ];
  }

  errors(label: string): MathExpression {
    return errorsOf(this.#working, label);
  }

  /** Of the functions that answer over HTTP; `undefined` when there are none. */
  httpErrors(label: string): MathExpression | undefined {
    return this.#answering.length === 0 ? undefined : errorsOf(this.#answering, label);
  }

  /** The sum over all functions that make requests. */
  #ofCallers(name: MetricName, label: string): MathExpression {
    const { worker, httpApi, writes } = this.watched;
    const usingMetrics: Record<string, IMetric> = {};
    const callers = { worker, httpApi: httpApi?.function, writes: writes?.function };
    for (const [id, by] of Object.entries(callers)) {
      if (by === undefined) continue;
      usingMetrics[`in${id}`] = metricOf(by, name, label, Stats.SUM);
    }
    const filled = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`);
    return new MathExpression({
      expression: filled.join(' + '),
      usingMetrics,
      label,
      period: PERIOD,
    });
  }

  #measured(name: MetricName, label: string, statistic: string): Metric | undefined {
    const { measure } = this.watched;
    return measure === undefined
      ? undefined
      : metricOf(measure, name, label, statistic).with({ period: Duration.hours(1) });
  }
}

type NamedFunction = readonly [name: string, LambdaFunction];

/** @param functions Ten at most: an alarm takes no more metrics (API reference, PutMetricAlarm). */
function errorsOf(functions: readonly NamedFunction[], label: string): MathExpression {
  const usingMetrics: Record<string, IMetric> = {};
  for (const [index, [, each]] of functions.entries()) {
    usingMetrics[`errors${index}`] = each.metricErrors({ statistic: Stats.SUM, period: PERIOD });
  }
  return new MathExpression({
    expression: `SUM([${Object.keys(usingMetrics).join(', ')}])`,
    usingMetrics,
    label,
    period: PERIOD,
  });
}
