import { GraphWidget, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ChangeMetrics } from './change-metrics.ts';

const THIRD = 8;

export function changeWidgets(metrics: ChangeMetrics): IWidget[] {
  return [
    new GraphWidget({
      title: 'Changes between exports',
      width: THIRD,
      left: [
        metrics.found('RecordsAdded', 'Added'),
        metrics.found('RecordsChanged', 'Changed'),
        metrics.found('RecordsRemoved', 'Removed'),
      ],
    }),
    new GraphWidget({
      title: 'Events of single records',
      width: THIRD,
      left: [metrics.told('Sent')],
      right: [metrics.level('ChangesWaitingSeconds', 'Longest on the way (s)')],
    }),
    new GraphWidget({
      title: 'Changes that wait',
      width: THIRD,
      left: [
        metrics.level('ChangesHeld', 'Held for a person'),
        metrics.level('StalledChanges', 'Stalled'),
        metrics.deadLetters('Dead letters'),
      ],
    }),
  ];
}
