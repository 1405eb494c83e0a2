import type { MathExpression, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { AlwaysWritten, IntegrationMetrics, Written } from './integration-metrics.ts';

/** The metrics that functions write into their logs. The default period is five minutes. */
export abstract class CustomersMetrics extends Construct {
  protected abstract readonly metrics: IntegrationMetrics;

  metricPages(options?: MetricOptions): Metric {
    return this.#of('Pages', 'Pages', options);
  }

  metricCustomers(options?: MetricOptions): Metric {
    return this.#of('Customers', 'Customers', options);
  }

  metricRequests(options?: MetricOptions): Metric {
    return this.#of('Requests', 'Requests', options);
  }

  /** Answers with a wait. */
  metricThrottles(options?: MetricOptions): Metric {
    return this.#of('Throttles', 'Throttles', options);
  }

  /** Seconds of wait that the API asked for. */
  metricWaitSeconds(options?: MetricOptions): Metric {
    return this.#of('WaitSeconds', 'WaitSeconds', options);
  }

  /** Waits longer than `maxWaitSeconds`, of exports, live reads and writes. */
  metricWaitsTooLong(options?: MetricOptions): MathExpression {
    return this.metrics.ofCallers('WaitsTooLong', 'Waits too long').with(options ?? {});
  }

  metricSteps(options?: MetricOptions): Metric {
    return this.#of('Steps', 'Steps', options);
  }

  metricExportsCompleted(options?: MetricOptions): Metric {
    return this.#of('ExportsCompleted', 'ExportsCompleted', options);
  }

  /** Exports that failed, in a step or in the sweep after a long halt. */
  metricExportsFailed(options?: MetricOptions): MathExpression {
    return this.metrics.failed('Failed exports').with(options ?? {});
  }

  /** Exports that halted without a key that the API accepts. */
  metricExportsHalted(options?: MetricOptions): Metric {
    return this.#of('ExportsHalted', 'ExportsHalted', options);
  }

  /** Exports that a person has ended. @returns `undefined` when there is no HTTP API. */
  metricExportsCancelled(options?: MetricOptions): Metric | undefined {
    return this.#of('ExportsCancelled', 'ExportsCancelled', options);
  }

  /** Connections whose new key is not shown to be of the same organization; in whichever function met it first. */
  metricOrganizationChanges(options?: MetricOptions): MathExpression {
    return this.metrics
      .ofCallers('OrganizationChanges', 'Changes of organizations')
      .with(options ?? {});
  }

  /** Level: currently stalled exports. */
  metricStalledExports(options?: MetricOptions): Metric {
    return this.#of('StalledExports', 'Stalled exports', options);
  }

  /** Level: connections that currently wait for a new key. */
  metricHaltedExports(options?: MetricOptions): Metric {
    return this.#of('HaltedExports', 'Halted connections', options);
  }

  /** Level: exports that currently wait for the turn of their list. */
  metricQueuedExports(options?: MetricOptions): Metric {
    return this.#of('QueuedExports', 'Queued exports', options);
  }

  /** Level: seconds that the export has waited for its turn which has done so the longest. */
  metricLongestQueued(options?: MetricOptions): Metric {
    return this.#of('LongestQueuedSeconds', 'Longest in the line (s)', options);
  }

  /**
   * Seconds since the end of the newest completed export, for the list with the oldest one, each hour.
   *
   * @returns `undefined` when no connection has an enabled schedule.
   */
  metricNewestCompleteAge(options?: MetricOptions): Metric | undefined {
    return this.#of('NewestCompleteAgeSeconds', 'Newest completed export (s)', options);
  }

  /**
   * Lists with a schedule and without a completed export, each hour.
   *
   * @returns `undefined` when no connection has an enabled schedule.
   */
  metricConnectionsNeverExported(options?: MetricOptions): Metric | undefined {
    return this.#of('ConnectionsNeverExported', 'Connections never exported', options);
  }

  /** Wake-ups that failed five times and wait for a person. */
  metricDeadLetters(options?: MetricOptions): Metric {
    const { deadLetterQueue } = this.metrics.watched;
    return this.metrics.waiting(deadLetterQueue, 'Dead letters').with(options ?? {});
  }

  /** Starts, sweeps and events that could not be delivered and wait for a person. */
  metricUndelivered(options?: MetricOptions): Metric {
    const { undelivered } = this.metrics.watched;
    return this.metrics.waiting(undelivered, 'Undelivered').with(options ?? {});
  }

  /** Records that are new since the export before, of changes that are told. @returns `undefined` without comparing. */
  metricRecordsAdded(options?: MetricOptions): MathExpression | undefined {
    return this.metrics.told('RecordsAdded', 'Records added')?.with(options ?? {});
  }

  /** Records that are other than in the export before. @returns `undefined` when exports are not compared. */
  metricRecordsChanged(options?: MetricOptions): MathExpression | undefined {
    return this.metrics.told('RecordsChanged', 'Records changed')?.with(options ?? {});
  }

  /** Records that are gone since the export before. @returns `undefined` when exports are not compared. */
  metricRecordsRemoved(options?: MetricOptions): MathExpression | undefined {
    return this.metrics.told('RecordsRemoved', 'Records removed')?.with(options ?? {});
  }

  /** Level: changes that currently wait for a person. @returns `undefined` when exports are not compared. */
  metricChangesHeld(options?: MetricOptions): Metric | undefined {
    return this.#of('ChangesHeld', 'Changes held', options);
  }

  /**
   * Level: seconds that changes have been on their way to be told, of those which have been so the longest.
   *
   * @returns `undefined` when exports are not compared.
   */
  metricChangesWaiting(options?: MetricOptions): Metric | undefined {
    return this.#of('ChangesWaitingSeconds', 'Changes on their way (s)', options);
  }

  /** Level: writes that are unclear and wait for a person. @returns `undefined` when no connection declares an operation. */
  metricUnclearWrites(options?: MetricOptions): Metric | undefined {
    return this.#of('UnclearWrites', 'Unclear writes', options);
  }

  /** Level: currently stalled writes. @returns `undefined` when no connection declares an operation. */
  metricStalledWrites(options?: MetricOptions): Metric | undefined {
    return this.#of('StalledWrites', 'Stalled writes', options);
  }

  /** Level: writes that currently wait for a new key. @returns `undefined` when no connection declares an operation. */
  metricHaltedWrites(options?: MetricOptions): Metric | undefined {
    return this.#of('HaltedWrites', 'Halted writes', options);
  }

  #of(name: AlwaysWritten, label: string, options: MetricOptions | undefined): Metric;
  #of(name: Written, label: string, options: MetricOptions | undefined): Metric | undefined;
  #of(name: Written, label: string, options: MetricOptions = {}): Metric | undefined {
    return this.metrics.of(name, label)?.with(options);
  }
}
