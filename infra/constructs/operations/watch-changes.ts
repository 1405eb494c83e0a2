import type { AlarmRule } from './alarm-rule.ts';
import { type Graph, graph } from './graph.ts';
import type { IntegrationMetrics } from './integration-metrics.ts';

export function changeAlarmRules(metrics: IntegrationMetrics): Readonly<Record<string, AlarmRule>> {
  const { queue } = metrics.watched.changes ?? {};
  return {
    ChangesHeld: {
      says: 'Changes of a list are held: more records are gone than maxRemovedPercent, or their file is damaged.',
      section: 'changes-held',
      isLevel: true,
      metric: metrics.of('ChangesHeld', 'Changes held'),
      above: 0, // only a person can release or discard them
    },
    ChangesStalled: {
      says: 'Changes of a list stand still on their way to be told although the sweep wakes them.',
      section: 'changes-stalled',
      isLevel: true,
      metric: metrics.of('StalledChanges', 'Stalled changes'),
      above: 0,
      periods: 3, // the first sweep wakes them; if they are still stalled at the third, waking does not help
    },
    ChangeDeadLetters: {
      says: 'The dead-letter queue of changes is not empty: a step of telling failed five times, or a message cannot be understood.',
      section: 'change-dead-letters',
      isLevel: true,
      metric: metrics.waiting(queue?.deadLetterQueue, 'Dead letters of changes'),
      above: 0, // no dead letter is harmless
    },
  };
}

export function changeWidgets(metrics: IntegrationMetrics): readonly Graph[] {
  const { queue } = metrics.watched.changes ?? {};
  return [
    graph('Changes between exports', [
      metrics.told('RecordsAdded', 'Added'),
      metrics.told('RecordsChanged', 'Changed'),
      metrics.told('RecordsRemoved', 'Removed'),
    ]),
    graph(
      'Events of single records',
      [metrics.of('RecordEvents', 'Sent')],
      [metrics.of('ChangesWaitingSeconds', 'Longest on the way (s)')],
    ),
    graph('Changes that wait', [
      metrics.of('ChangesHeld', 'Held for a person'),
      metrics.of('StalledChanges', 'Stalled'),
      metrics.waiting(queue?.deadLetterQueue, 'Dead letters'),
    ]),
  ];
}
