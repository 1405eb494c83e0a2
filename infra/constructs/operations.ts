import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AlarmOptions, Alarms } from './alarms.ts';
import { ExportDashboard } from './export-dashboard.ts';
import { ExportMetrics } from './export-metrics.ts';
import { ExportQueries } from './export-queries.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { WriteMetrics } from './write-metrics.ts';
import type { Writes } from './writes.ts';

/** What is watched. */
export interface Watched {
  readonly worker: LambdaFunction;
  readonly start: LambdaFunction;
  /** `undefined`: no schedule is for all connections. */
  readonly startAll: LambdaFunction | undefined;
  readonly sweep: LambdaFunction;
  /** `undefined`: no connection has a schedule. */
  readonly measure: LambdaFunction | undefined;
  readonly httpApi: LambdaFunction | undefined;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly undelivered: Queue;
  readonly table: Table | ITable;
  /** `undefined`: no connection declares an operation. */
  readonly writes: Writes | undefined;
}

export interface OperationsProps {
  readonly watched: Watched;
  /** `false`: there are no alarms. */
  readonly alarms: AlarmOptions | false;
}

/** What whoever runs the stack looks at: alarms, a dashboard and a query of the log. */
export class Operations extends Construct {
  readonly metrics: ExportMetrics;

  constructor(scope: Construct, id: string, { watched, alarms }: OperationsProps) {
    super(scope, id);
    this.metrics = new ExportMetrics(watched);
    const { writes, sweep } = watched;
    const writeMetrics = writes && new WriteMetrics(writes, sweep);
    if (alarms !== false) {
      new Alarms(this, 'Alarms', { metrics: this.metrics, writeMetrics, ...alarms });
    }
    const queries = new ExportQueries(this, 'Queries', watched);
    new ExportDashboard(this, 'Dashboard', { metrics: this.metrics, writeMetrics, queries });
  }
}
