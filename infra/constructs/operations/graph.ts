import { GraphWidget, type IMetric, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';

/** CloudWatch's grid has 24 columns. */
const THIRD = 8;
export const HALF = 12;
export const WHOLE = 24;

/** `undefined` when there is nothing to show. */
export type Graph = IWidget | undefined;

/** A graph of the dashboard, of those metrics that there are. @param right With the scale on the right. */
export function graph(
  title: string,
  left: readonly (IMetric | undefined)[],
  right: readonly (IMetric | undefined)[] = [],
  width = THIRD,
): Graph {
  const [onLeft, onRight] = [deployed(left), deployed(right)];
  if (onLeft.length === 0) return undefined;
  return new GraphWidget({ title, width, left: onLeft, right: onRight });
}

/** What is there of what may not be deployed. */
export function deployed<Part>(parts: readonly (Part | undefined)[]): Part[] {
  return parts.filter((part) => part !== undefined);
}
