import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Changes } from '../changes/changes.ts';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import { metricOf, PERIOD } from './export-metrics.ts';

export class ChangeMetrics {
  readonly #changes: Changes;
  readonly #compare: LambdaFunction;
  readonly #sweep: LambdaFunction;

  /** @param compare The function that compares exports. */
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
    return this.#changes.queue.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: PERIOD,
      label,
    });
  }
}
