import { Construct } from 'constructs';
import { type AlarmOptions, Alarms } from './alarms.ts';
import { ChangeMetrics } from './change-metrics.ts';
import { ExportDashboard } from './export-dashboard.ts';
import { ExportMetrics, type Watched } from './export-metrics.ts';
import { ExportQueries } from './export-queries.ts';
import { WriteMetrics } from './write-metrics.ts';

export interface OperationsProps {
  readonly integrationId: string;
  readonly watched: Watched;
  readonly alarms: AlarmOptions | false;
}

/** Alarms, a dashboard and a query of the log. */
export class Operations extends Construct {
  readonly metrics: ExportMetrics;
  readonly changeMetrics: ChangeMetrics | undefined;
  readonly writeMetrics: WriteMetrics | undefined;
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const { integrationId, watched, alarms } = props;
    this.metrics = new ExportMetrics(watched);
    const { writes, changes, descriptions, sweep } = watched;
    this.writeMetrics = writes && new WriteMetrics(writes, sweep);
    this.changeMetrics =
      changes && descriptions && new ChangeMetrics(changes, descriptions.function, sweep);
    const { changeMetrics, writeMetrics } = this;
    const metrics = { metrics: this.metrics, writeMetrics, changeMetrics };
    if (alarms !== false) {
      new Alarms(this, 'Alarms', { ...metrics, ...alarms });
    }
    const queries = new ExportQueries(this, 'Queries', { integrationId, watched });
    const dashboard = new ExportDashboard(this, 'Dashboard', {
      ...metrics,
      integrationId,
      queries,
    });
    this.dashboardName = dashboard.name;
  }
}
