import { type IWidget, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import type { Writes } from '../writes/writes.ts';
import type { AlarmRule } from './alarm-rule.ts';
import { metricOf, waitingIn } from './export-metrics.ts';
import { graph } from './graph.ts';

export class WriteMetrics {
  readonly #writes: Writes;
  readonly #sweep: LambdaFunction;

  constructor(writes: Writes, sweep: LambdaFunction) {
    this.#writes = writes;
    this.#sweep = sweep;
  }

  ended(name: 'WritesDone' | 'WritesRefused' | 'WritesUnclear', label: string): Metric {
    return metricOf(this.#writes.function, name, label, Stats.SUM);
  }

  /** From accepting a write to its end, 95th percentile. */
  seconds(label: string): Metric {
    return metricOf(this.#writes.function, 'WriteSeconds', label, Stats.percentile(95));
  }

  level(name: 'UnclearWrites' | 'StalledWrites' | 'HaltedWrites', label: string): Metric {
    return metricOf(this.#sweep, name, label, Stats.MAXIMUM);
  }

  waiting(label: string): Metric {
    return waitingIn(this.#writes.queue.queue, label);
  }

  deadLetters(label: string): Metric {
    return waitingIn(this.#writes.queue.deadLetterQueue, label);
  }
}

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

export function writeWidgets(metrics: WriteMetrics): IWidget[] {
  return [
    graph('Writes by end', [
      metrics.ended('WritesDone', 'Done'),
      metrics.ended('WritesRefused', 'Refused'),
      metrics.ended('WritesUnclear', 'Unclear'),
    ]),
    graph(
      'Writes that wait',
      [
        metrics.level('UnclearWrites', 'For a person'),
        metrics.level('HaltedWrites', 'For a key'),
        metrics.level('StalledWrites', 'Stalled'),
      ],
      [metrics.waiting('In the queue'), metrics.deadLetters('Dead letters of writes')],
    ),
    graph('From accepting a write to its end, p95 (s)', [metrics.seconds('Seconds')]),
  ];
}
