import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  type IWidget,
  LogQueryWidget,
  PeriodOverride,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { distinctName } from '../foundation/distinct-name.ts';
import { type ChangeMetrics, changeWidgets } from './change-metrics.ts';
import { estimatedCost } from './estimated-cost.ts';
import { type ExportMetrics, PERIOD } from './export-metrics.ts';
import { AGE_BY_LIST, type ExportQueries } from './export-queries.ts';
import { graph, HALF, WHOLE } from './graph.ts';
import { type WriteMetrics, writeWidgets } from './write-metrics.ts';

export interface ExportDashboardProps {
  readonly integrationId: string;
  readonly metrics: ExportMetrics;
  readonly writeMetrics: WriteMetrics | undefined;
  readonly changeMetrics: ChangeMetrics | undefined;
  readonly queries: ExportQueries;
}

const HOUR = Duration.hours(1);

export class ExportDashboard extends Construct {
  readonly name: string;

  constructor(scope: Construct, id: string, props: ExportDashboardProps) {
    super(scope, id);
    const { integrationId, metrics, writeMetrics, changeMetrics, queries } = props;
    this.name = dashboardNameOf(this, integrationId);
    new Dashboard(this, 'Dashboard', {
      dashboardName: this.name,
      defaultInterval: Duration.days(1),
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [now(metrics)],
        [exportsByState(metrics), customersPerHour(metrics), throttlesAndWaits(metrics)],
        newestComplete(metrics, queries),
        [queuesAndDeadLetters(metrics), functionErrors(metrics), durations(metrics)],
        ...(writeMetrics === undefined ? [] : [writeWidgets(writeMetrics)]),
        ...(changeMetrics === undefined ? [] : [changeWidgets(changeMetrics)]),
        [halts(metrics), queued(metrics)],
        [cost(metrics), ...fanOut(metrics)],
      ],
    });
  }
}

/** The dashboards of all regions share their names (API reference, PutDashboard). Dots are not allowed in one. */
function dashboardNameOf(scope: Construct, integrationId: string): string {
  const name = distinctName(integrationId, integrationId.replaceAll('.', '-'), '-');
  return `${name}-exports-${Stack.of(scope).region}`;
}

function now(metrics: ExportMetrics): IWidget {
  const { deadLetterQueue, undelivered } = metrics.watched;
  const age = metrics.newestCompleteAge('Age of newest export (s)');
  return new SingleValueWidget({
    title: 'Now',
    width: WHOLE,
    height: 3,
    metrics: [
      metrics.level('HaltedExports', 'Halted connections'),
      metrics.level('StalledExports', 'Stalled exports'),
      metrics.waiting(deadLetterQueue, 'Dead letters'),
      metrics.waiting(undelivered, 'Undelivered'),
      ...(age === undefined ? [] : [age]),
    ],
  });
}

function exportsByState(metrics: ExportMetrics): IWidget {
  const cancelled = metrics.cancelled('Cancelled')?.with({ period: HOUR });
  return graph('Exports by state, per hour', [
    metrics.ofSteps('ExportsCompleted', 'Completed').with({ period: HOUR }),
    metrics.failed('Failed', HOUR),
    metrics.ofSteps('ExportsHalted', 'Halted').with({ period: HOUR }),
    ...(cancelled === undefined ? [] : [cancelled]),
  ]);
}

function customersPerHour(metrics: ExportMetrics): IWidget {
  return graph(
    'Customers and pages per hour',
    [metrics.ofSteps('Customers', 'Customers').with({ period: HOUR })],
    [metrics.ofSteps('Pages', 'Pages').with({ period: HOUR })],
  );
}

function throttlesAndWaits(metrics: ExportMetrics): IWidget {
  return graph(
    'Requests, throttles and time waited',
    [metrics.ofSteps('Requests', 'Requests'), metrics.ofSteps('Throttles', 'Throttles')],
    [metrics.ofSteps('WaitSeconds', 'Waits asked for (s)')],
  );
}

/** The log has the connections without the cost of a metric for each. */
function newestComplete(metrics: ExportMetrics, { measureLog }: ExportQueries): IWidget[] {
  const age = metrics.newestCompleteAge('Age (s)');
  const overdue = metrics.overdue('Lists overdue');
  const never = metrics.neverExported('Lists never exported');
  if (!age || !overdue || !never || measureLog === undefined) return [];
  return [
    graph('Newest complete export: the oldest of all lists', [age], [overdue, never], HALF),
    new LogQueryWidget({
      title: 'Newest complete export by connection and list, hours',
      width: HALF,
      logGroupNames: [measureLog.logGroupName],
      queryLines: AGE_BY_LIST,
    }),
  ];
}

function queuesAndDeadLetters(metrics: ExportMetrics): IWidget {
  const { queue, deadLetterQueue, undelivered } = metrics.watched;
  return graph(
    'Queues',
    [
      metrics.waiting(queue, 'Wake-ups'),
      metrics.waiting(deadLetterQueue, 'Dead letters'),
      metrics.waiting(undelivered, 'Undelivered'),
    ],
    [metrics.oldestMessage('Oldest wake-up (s)')],
  );
}

function functionErrors(metrics: ExportMetrics): IWidget {
  return graph('Errors by function', [
    ...metrics.functions.map(([label, each]) =>
      each.metricErrors({ label, statistic: Stats.SUM, period: PERIOD }),
    ),
    metrics.workerThrottles('Throttles of the worker'),
  ]);
}

function durations(metrics: ExportMetrics): IWidget {
  return graph(
    'Duration by function, p95 (ms)',
    metrics.functions.map(([label, each]) =>
      each.metricDuration({ label, statistic: Stats.percentile(95), period: PERIOD }),
    ),
  );
}

function halts(metrics: ExportMetrics): IWidget {
  return graph(
    'Halted and stalled, changes of organizations',
    [
      metrics.level('HaltedExports', 'Halted connections'),
      metrics.level('StalledExports', 'Stalled exports'),
    ],
    [metrics.organizationChanges('Changes of organizations')],
    HALF,
  );
}

/** The lists of a connection take turns: a line that grows asks for more than the API allows in that time. */
function queued(metrics: ExportMetrics): IWidget {
  return graph(
    'Exports that wait for the turn of their list',
    [metrics.level('QueuedExports', 'Queued exports')],
    [metrics.level('LongestQueuedSeconds', 'Longest in the line (s)')],
    HALF,
  );
}

function fanOut(metrics: ExportMetrics): IWidget[] {
  const starts = metrics.ofFanOut('FanOutStarts', 'Started or joined');
  const failures = metrics.ofFanOut('FanOutFailures', 'Failed, tried again');
  if (starts === undefined || failures === undefined) return [];
  return [graph('Starts by the schedule for all connections', [starts], [failures], HALF)];
}

function cost(metrics: ExportMetrics): IWidget {
  return graph('Estimated cost, USD per hour', [estimatedCost(metrics, HOUR)], [], HALF);
}
