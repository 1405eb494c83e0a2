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
import { estimatedCost } from './estimated-cost.ts';
import { AGE_BY_LIST } from './export-queries.ts';
import { deployed, type Graph, graph, HALF, WHOLE } from './graph.ts';
import { type IntegrationMetrics, PERIOD } from './integration-metrics.ts';
import { changeWidgets } from './watch-changes.ts';
import { writeWidgets } from './watch-writes.ts';

export interface ExportDashboardProps {
  readonly integrationId: string;
  readonly metrics: IntegrationMetrics;
}

const HOUR = Duration.hours(1);

export class ExportDashboard extends Construct {
  readonly name: string;

  constructor(scope: Construct, id: string, props: ExportDashboardProps) {
    super(scope, id);
    const { integrationId, metrics } = props;
    this.name = dashboardNameOf(this, integrationId);
    const rows = [
      [now(metrics)],
      [exportsByState(metrics), customersPerHour(metrics), throttlesAndWaits(metrics)],
      newestComplete(metrics),
      [queuesAndDeadLetters(metrics), functionErrors(metrics), durations(metrics)],
      writeWidgets(metrics),
      changeWidgets(metrics),
      [halts(metrics), queued(metrics)],
      [cost(metrics), fanOut(metrics)],
    ];
    new Dashboard(this, 'Dashboard', {
      dashboardName: this.name,
      defaultInterval: Duration.days(1),
      periodOverride: PeriodOverride.INHERIT,
      widgets: rows.map(deployed),
    });
  }
}

/** The dashboards of all regions share their names (API reference, PutDashboard). Dots are not allowed in one. */
function dashboardNameOf(scope: Construct, integrationId: string): string {
  const name = distinctName(integrationId, integrationId.replaceAll('.', '-'), '-');
  return `${name}-exports-${Stack.of(scope).region}`;
}

function now(metrics: IntegrationMetrics): IWidget {
  const { deadLetterQueue, undelivered } = metrics.watched;
  return new SingleValueWidget({
    title: 'Now',
    width: WHOLE,
    height: 3,
    metrics: deployed([
      metrics.of('HaltedExports', 'Halted connections'),
      metrics.of('StalledExports', 'Stalled exports'),
      metrics.waiting(deadLetterQueue, 'Dead letters'),
      metrics.waiting(undelivered, 'Undelivered'),
      metrics.of('NewestCompleteAgeSeconds', 'Age of newest export (s)'),
    ]),
  });
}

function exportsByState(metrics: IntegrationMetrics): Graph {
  return graph('Exports by state, per hour', [
    metrics.of('ExportsCompleted', 'Completed').with({ period: HOUR }),
    metrics.failed('Failed', HOUR),
    metrics.of('ExportsHalted', 'Halted').with({ period: HOUR }),
    metrics.of('ExportsCancelled', 'Cancelled')?.with({ period: HOUR }),
  ]);
}

function customersPerHour(metrics: IntegrationMetrics): Graph {
  return graph(
    'Customers and pages per hour',
    [metrics.of('Customers', 'Customers').with({ period: HOUR })],
    [metrics.of('Pages', 'Pages').with({ period: HOUR })],
  );
}

function throttlesAndWaits(metrics: IntegrationMetrics): Graph {
  return graph(
    'Requests, throttles and time waited',
    [metrics.of('Requests', 'Requests'), metrics.of('Throttles', 'Throttles')],
    [metrics.of('WaitSeconds', 'Waits asked for (s)')],
  );
}

/** The log has the connections without the cost of a metric for each. */
function newestComplete(metrics: IntegrationMetrics): readonly Graph[] {
  const measureLog = metrics.watched.measure?.logGroup;
  return [
    graph(
      'Newest completed export: the oldest of all lists',
      [metrics.of('NewestCompleteAgeSeconds', 'Age (s)')],
      [
        metrics.of('ConnectionsOverdue', 'Lists overdue'),
        metrics.of('ConnectionsNeverExported', 'Lists never exported'),
      ],
      HALF,
    ),
    measureLog &&
      new LogQueryWidget({
        title: 'Newest completed export by connection and list, hours',
        width: HALF,
        logGroupNames: [measureLog.logGroupName],
        queryLines: AGE_BY_LIST,
      }),
  ];
}

function queuesAndDeadLetters(metrics: IntegrationMetrics): Graph {
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

function functionErrors(metrics: IntegrationMetrics): Graph {
  return graph('Errors by function', [
    ...metrics.functions.map(([label, each]) =>
      each.metricErrors({ label, statistic: Stats.SUM, period: PERIOD }),
    ),
    metrics.workerThrottles('Throttles of the worker'),
  ]);
}

function durations(metrics: IntegrationMetrics): Graph {
  return graph(
    'Duration by function, p95 (ms)',
    metrics.functions.map(([label, each]) =>
      each.metricDuration({ label, statistic: Stats.percentile(95), period: PERIOD }),
    ),
  );
}

function halts(metrics: IntegrationMetrics): Graph {
  return graph(
    'Halted and stalled, changes of organizations',
    [
      metrics.of('HaltedExports', 'Halted connections'),
      metrics.of('StalledExports', 'Stalled exports'),
    ],
    [metrics.ofCallers('OrganizationChanges', 'Changes of organizations')],
    HALF,
  );
}

/** The lists of a connection take turns: a line that grows asks for more than the API allows in that time. */
function queued(metrics: IntegrationMetrics): Graph {
  return graph(
    'Exports that wait for the turn of their list',
    [metrics.of('QueuedExports', 'Queued exports')],
    [metrics.of('LongestQueuedSeconds', 'Longest in the line (s)')],
    HALF,
  );
}

function fanOut(metrics: IntegrationMetrics): Graph {
  return graph(
    'Starts by the schedule for all connections',
    [metrics.of('FanOutStarts', 'Started or joined')],
    [metrics.of('FanOutFailures', 'Failed, tried again')],
    HALF,
  );
}

function cost(metrics: IntegrationMetrics): Graph {
  return graph('Estimated cost, USD per hour', [estimatedCost(metrics, HOUR)], [], HALF);
}
