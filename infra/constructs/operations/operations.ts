import { Construct } from 'constructs';
import { type AlarmOptions, Alarms } from './alarms.ts';
import { ExportDashboard } from './export-dashboard.ts';
import { ExportQueries } from './export-queries.ts';
import { IntegrationMetrics, type Watched } from './integration-metrics.ts';

export interface OperationsProps {
  readonly integrationId: string;
  readonly watched: Watched;
  readonly alarms: AlarmOptions | false;
}

/** Alarms, a dashboard and a query of the log. */
export class Operations extends Construct {
  readonly metrics: IntegrationMetrics;
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const { integrationId, watched, alarms } = props;
    const metrics = new IntegrationMetrics(watched);
    if (alarms !== false) new Alarms(this, 'Alarms', { metrics, ...alarms });
    new ExportQueries(this, 'Queries', { integrationId, watched });
    const dashboard = new ExportDashboard(this, 'Dashboard', { metrics, integrationId });
    this.metrics = metrics;
    this.dashboardName = dashboard.name;
  }
}
