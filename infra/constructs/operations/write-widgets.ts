import { GraphWidget, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { WriteMetrics } from './write-metrics.ts';

const THIRD = 8;

export function writeWidgets(metrics: WriteMetrics): IWidget[] {
  return [
    new GraphWidget({
      title: 'Writes by end',
      width: THIRD,
      left: [
        metrics.ended('WritesDone', 'Done'),
        metrics.ended('WritesRefused', 'Refused'),
        metrics.ended('WritesUnclear', 'Unclear'),
      ],
    }),
    new GraphWidget({
      title: 'Writes that wait',
      width: THIRD,
      left: [
        metrics.level('UnclearWrites', 'For a person'),
        metrics.level('HaltedWrites', 'For a key'),
        metrics.level('StalledWrites', 'Stalled'),
      ],
      right: [metrics.waiting('In the queue'), metrics.deadLetters('Dead letters of writes')],
    }),
    new GraphWidget({
      title: 'From accepting a write to its end, p95 (s)',
      width: THIRD,
      left: [metrics.seconds('Seconds')],
    }),
  ];
}
