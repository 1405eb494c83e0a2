import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Watched } from './integration-metrics.ts';

export interface ExportQueriesProps {
  readonly integrationId: string;
  readonly watched: Watched;
}

/** Saved queries of CloudWatch Logs Insights. */
export class ExportQueries extends Construct {
  constructor(scope: Construct, id: string, { integrationId, watched }: ExportQueriesProps) {
    super(scope, id);
    const { worker, start, startAll, sweep, httpApi } = watched;
    const functions = [worker, start, startAll?.function, httpApi?.function, sweep];
    new QueryDefinition(this, 'CourseOfAnExport', {
      queryDefinitionName: `${integrationId}/course-of-an-export`,
      logGroups: functions.flatMap((each) => each?.logGroup ?? []),
      queryString: COURSE_OF_AN_EXPORT,
    });
  }
}

/** One line per action, from start to end; insert the export's id. */
const COURSE_OF_AN_EXPORT = new QueryString({
  fields: [
    '@timestamp',
    'message',
    'connection',
    'list',
    'step',
    'result',
    'status',
    'pages',
    'customers',
    'requests',
    'throttles',
    'waitedSeconds',
    'fromMillis(notBeforeMs) as notBefore',
    'reasonCode',
    'by',
    'requestId',
  ],
  filterStatements: ['exportId = "<id of the export>"'],
  sort: '@timestamp asc, step asc',
  limit: 10_000, // the maximum of Logs Insights
});

/** By connection and list, the oldest first. */
export const AGE_BY_LIST = [
  'filter message = "Newest completed export"',
  'stats latest(ageSeconds) / 3600 as ageHours, latest(newest) as newestExport by connection, list',
  'sort ageHours desc',
  'limit 20',
];
