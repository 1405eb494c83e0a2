import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import type { Writes } from '../writes/writes.ts';
import { metricOf, PERIOD } from './export-metrics.ts';

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
    return this.#writes.queue.queue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: PERIOD,
      label,
    });
  }

  deadLetters(label: string): Metric {
    return this.#writes.queue.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: PERIOD,
      label,
    });
  }
}
