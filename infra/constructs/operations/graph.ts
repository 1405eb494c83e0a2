import { GraphWidget, type IMetric, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';

/** CloudWatch's grid has 24 columns. */
const THIRD = 8;
export const HALF = 12;
export const WHOLE = 24;

/** A graph of the dashboard. @param right Metrics with the scale on the right. */
export function graph(
  title: string,
  left: readonly IMetric[],
  right: readonly IMetric[] = [],
  width = THIRD,
): IWidget {
  return new GraphWidget({ title, width, left: [...left], right: [...right] });
}
