import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../../functions/middleware/metrics.ts';
import type { ExportMetrics } from './export-metrics.ts';

/** The metrics that functions write into their logs; periods are five minutes unless you say otherwise. */
export abstract class CustomersMetrics extends Construct {
  protected abstract readonly metrics: ExportMetrics;

  /** Pages fetched. */
  metricPages(options?: MetricOptions): Metric {
    return this.#ofSteps('Pages', options);
  }

  /** Customers fetched. */
  metricCustomers(options?: MetricOptions): Metric {
    return this.#ofSteps('Customers', options);
  }

  /** Requests to the API. */
  metricRequests(options?: MetricOptions): Metric {
    return this.#ofSteps('Requests', options);
  }

  /** Answers by which the API asked to wait. */
  metricThrottles(options?: MetricOptions): Metric {
    return this.#ofSteps('Throttles', options);
  }

  /** Seconds that the API asked to wait. */
  metricWaitSeconds(options?: MetricOptions): Metric {
    return this.#ofSteps('WaitSeconds', options);
  }

  /** Steps of exports. */
  metricSteps(options?: MetricOptions): Metric {
    return this.#ofSteps('Steps', options);
  }

  /** Exports that ended complete. */
  metricExportsCompleted(options?: MetricOptions): Metric {
    return this.#ofSteps('ExportsCompleted', options);
  }

  /** Exports that failed in a step; those that the sweep gives up after a long halt are told by it. */
  metricExportsFailed(options?: MetricOptions): Metric {
    return this.#ofSteps('ExportsFailed', options);
  }

  /** Exports that halted for want of a key that the API accepts. */
  metricExportsHalted(options?: MetricOptions): Metric {
    return this.#ofSteps('ExportsHalted', options);
  }

  /** Level: exports that stand still now. */
  metricStalledExports(options?: MetricOptions): Metric {
    return this.metrics.level('StalledExports', 'Stalled exports').with(options ?? {});
  }

  /** Level: connections that wait for a new key now. */
  metricHaltedExports(options?: MetricOptions): Metric {
    return this.metrics.level('HaltedExports', 'Halted connections').with(options ?? {});
  }

  /**
   * Seconds since the end of the newest complete export, of the connection that is worst off, each hour.
   *
   * @returns `undefined` when no connection has a schedule that runs.
   */
  metricNewestCompleteAge(options?: MetricOptions): Metric | undefined {
    return this.metrics.newestCompleteAge('Newest complete export (s)')?.with(options ?? {});
  }

  /**
   * Connections with a schedule and without any complete export, each hour.
   *
   * @returns `undefined` when no connection has a schedule that runs.
   */
  metricConnectionsNeverExported(options?: MetricOptions): Metric | undefined {
    return this.metrics.neverExported('Connections never exported')?.with(options ?? {});
  }

  /** Wake-ups that failed five times and wait for somebody to look at them. */
  metricDeadLetters(options?: MetricOptions): Metric {
    const { deadLetterQueue } = this.metrics.watched;
    return this.metrics.waiting(deadLetterQueue, 'Dead letters').with(options ?? {});
  }

  /** Starts, sweeps and events that could not be delivered and wait for somebody to look at them. */
  metricUndelivered(options?: MetricOptions): Metric {
    const { undelivered } = this.metrics.watched;
    return this.metrics.waiting(undelivered, 'Undelivered').with(options ?? {});
  }

  #ofSteps(name: MetricName, options: MetricOptions = {}): Metric {
    return this.metrics.ofSteps(name, name).with(options);
  }
}
