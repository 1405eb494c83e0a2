import { type IWidget, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Changes } from '../changes/changes.ts';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import type { AlarmRule } from './alarm-rule.ts';
import { metricOf, waitingIn } from './export-metrics.ts';
import { graph } from './graph.ts';

export class ChangeMetrics {
  readonly #changes: Changes;
  readonly #compare: LambdaFunction;
  readonly #sweep: LambdaFunction;

  constructor(changes: Changes, compare: LambdaFunction, sweep: LambdaFunction) {
    this.#changes = changes;
    this.#compare = compare;
    this.#sweep = sweep;
  }

  /** Records of comparisons whose changes are told without a person. */
  found(name: 'RecordsAdded' | 'RecordsChanged' | 'RecordsRemoved', label: string): Metric {
    return metricOf(this.#compare, name, label, Stats.SUM);
  }

  /** Events of single records that were sent. */
  told(label: string): Metric {
    return metricOf(this.#changes.function, 'RecordEvents', label, Stats.SUM);
  }

  level(name: 'ChangesHeld' | 'StalledChanges' | 'ChangesWaitingSeconds', label: string): Metric {
    return metricOf(this.#sweep, name, label, Stats.MAXIMUM);
  }

  deadLetters(label: string): Metric {
    return waitingIn(this.#changes.queue.deadLetterQueue, label);
  }
}

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

export function changeWidgets(metrics: ChangeMetrics): IWidget[] {
  return [
    graph('Changes between exports', [
      metrics.found('RecordsAdded', 'Added'),
      metrics.found('RecordsChanged', 'Changed'),
      metrics.found('RecordsRemoved', 'Removed'),
    ]),
    graph(
      'Events of single records',
      [metrics.told('Sent')],
      [metrics.level('ChangesWaitingSeconds', 'Longest on the way (s)')],
    ),
    graph('Changes that wait', [
      metrics.level('ChangesHeld', 'Held for a person'),
      metrics.level('StalledChanges', 'Stalled'),
      metrics.deadLetters('Dead letters'),
    ]),
  ];
}
