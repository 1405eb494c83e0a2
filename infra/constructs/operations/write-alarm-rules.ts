import type { AlarmRule } from './alarm-rule.ts';
import type { WriteMetrics } from './write-metrics.ts';

export function writeAlarmRules(metrics: WriteMetrics): Readonly<Record<string, AlarmRule>> {
  return {
    UnclearWrites: {
      says: 'A write is unclear: the API may have carried it out or not, and a person has to find out.',
      section: 'unclear-writes',
      isLevel: true,
      metric: metrics.level('UnclearWrites', 'Unclear writes'),
      above: 0, // only a person can settle it
    },
    WriteDeadLetters: {
      says: 'The dead-letter queue of writes is not empty: a write failed five times or cannot be carried out as asked.',
      section: 'write-dead-letters',
      metric: metrics.deadLetters('Dead letters of writes'),
      above: 0, // each is a write that somebody waits for
    },
    WritesStalled: {
      says: 'A write stands still although the sweep wakes it.',
      section: 'writes-stalled',
      isLevel: true,
      metric: metrics.level('StalledWrites', 'Stalled writes'),
      above: 0,
      periods: 3, // the first sweep wakes it; if it is still stalled at the third, waking does not help
    },
    WritesHalted: {
      says: 'Writes wait for another key: that of their connection is missing, malformed or was refused by the API.',
      section: 'writes-halted',
      isLevel: true,
      metric: metrics.level('HaltedWrites', 'Halted writes'),
      above: 0, // only a person can store another key
    },
  };
}
