import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PRICES } from '../../cost/prices.ts';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import { type IntegrationMetrics, sumOf } from './integration-metrics.ts';

const MILLION = 1_000_000;
const MIB_PER_GIB = 1024;
const MS_PER_SECOND = 1000;

/**
 * The cost of Lambda, SQS and DynamoDB, from free AWS metrics. Not included: less than a tenth of it (S3
 * requests, secrets, events), and what grows with storage (objects, logs).
 */
export function estimatedCost(metrics: IntegrationMetrics, period: Duration): MathExpression {
  const charged = new Map<number, Record<string, IMetric>>();
  const charge = (name: string, metric: IMetric, usdPerUnit: number) => {
    charged.set(usdPerUnit, { ...charged.get(usdPerUnit), [name]: metric });
  };
  const sum = { statistic: Stats.SUM, period };
  for (const [index, [, each]] of metrics.functions.entries()) {
    charge(`time${index}`, each.metricDuration(sum), usdPerMs(each));
    charge(`runs${index}`, each.metricInvocations(sum), PRICES.lambdaRequest);
  }
  const { queue, table, startAll, descriptions, changes, writes } = metrics.watched;
  const queues = {
    '': queue,
    ofStarts: startAll?.queue,
    ofDescriptions: descriptions?.queue.queue,
    ofChanges: changes?.queue.queue,
    ofWrites: writes?.queue.queue,
  };
  for (const [end, each] of Object.entries(queues)) {
    if (each === undefined) continue;
    charge(`sent${end}`, each.metricNumberOfMessagesSent(sum), PRICES.sqsRequest);
    charge(`received${end}`, each.metricNumberOfMessagesReceived(sum), PRICES.sqsRequest);
    charge(`polled${end}`, each.metricNumberOfEmptyReceives(sum), PRICES.sqsRequest);
    charge(`deleted${end}`, each.metricNumberOfMessagesDeleted(sum), PRICES.sqsRequest);
  }
  const units = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      ...sum,
    });
  charge('writes', units('ConsumedWriteCapacityUnits'), PRICES.dynamodbWriteUnit);
  charge('reads', units('ConsumedReadCapacityUnits'), PRICES.dynamodbReadUnit);
  const label = `USD, prices of ${PRICES.region} (${PRICES.asOf})`;
  const costs = [...charged].map(([usdPerUnit, used], index) => {
    const { expression, usingMetrics } = sumOf(used, label, period);
    // Metric math has no exponents, and the price of a single unit is too small for a decimal.
    const priced = `${expression} * ${(usdPerUnit * MILLION).toPrecision(6)}`;
    const cost = new MathExpression({ expression: priced, usingMetrics, label, period });
    return [`cost${index}`, cost] as const;
  });
  const { expression, usingMetrics } = sumOf(Object.fromEntries(costs), label, period);
  return new MathExpression({
    expression: `${expression} / ${MILLION}`,
    usingMetrics,
    label,
    period,
  });
}

function usdPerMs({ memorySizeMiB }: LambdaFunction): number {
  return ((memorySizeMiB / MIB_PER_GIB) * PRICES.lambdaGbSecond) / MS_PER_SECOND;
}
