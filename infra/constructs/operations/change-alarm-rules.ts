import type { AlarmRule } from './alarm-rule.ts';
import type { ChangeMetrics } from './change-metrics.ts';

export function changeAlarmRules(metrics: ChangeMetrics): Readonly<Record<string, AlarmRule>> {
  return {
    ChangesHeld: {
      says: 'Changes of a list are held: more records are gone than maxRemovedPercent, or their file is damaged.',
      section: 'changes-held',
      isLevel: true,
      metric: metrics.level('ChangesHeld', 'Changes held'),
      above: 0, // only a person can release or discard them
    },
    ChangesStalled: {
      says: 'Changes of a list stand still on their way to be told although the sweep wakes them.',
      section: 'changes-stalled',
      isLevel: true,
      metric: metrics.level('StalledChanges', 'Stalled changes'),
      above: 0,
      periods: 3, // the first sweep wakes them; if they are still stalled at the third, waking does not help
    },
    ChangeDeadLetters: {
      says: 'The dead-letter queue of changes is not empty: a step of telling failed five times, or a message cannot be understood.',
      section: 'change-dead-letters',
      metric: metrics.deadLetters('Dead letters of changes'),
      above: 0, // no dead letter is harmless
    },
  };
}
