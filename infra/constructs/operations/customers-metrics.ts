import type { MathExpression, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../../functions/log/metrics.ts';
import type { ChangeMetrics } from './change-metrics.ts';
import type { ExportMetrics } from './export-metrics.ts';
import type { WriteMetrics } from './write-metrics.ts';

/** The metrics that functions write into their logs. The default period is five minutes. */
export abstract class CustomersMetrics extends Construct {
  protected abstract readonly metrics: ExportMetrics;
  /** `undefined` when exports are not compared. */
  protected abstract readonly changeMetrics: ChangeMetrics | undefined;
  /** `undefined` when no connection declares an operation. */
  protected abstract readonly writeMetrics: WriteMetrics | undefined;

  metricPages(options?: MetricOptions): Metric {
    return this.#ofSteps('Pages', options);
  }

  metricCustomers(options?: MetricOptions): Metric {
    return this.#ofSteps('Customers', options);
  }

  metricRequests(options?: MetricOptions): Metric {
    return this.#ofSteps('Requests', options);
  }

  /** Answers with a wait. */
  metricThrottles(options?: MetricOptions): Metric {
    return this.#ofSteps('Throttles', options);
  }

  /** Seconds of wait that the API asked for. */
  metricWaitSeconds(options?: MetricOptions): Metric {
    return this.#ofSteps('WaitSeconds', options);
  }

  /** Waits longer than `maxWaitSeconds`, of exports, live reads and writes. */
  metricWaitsTooLong(options?: MetricOptions): MathExpression {
    return this.metrics.waitsTooLong('Waits too long').with(options ?? {});
  }

  metricSteps(options?: MetricOptions): Metric {
    return this.#ofSteps('Steps', options);
  }

  metricExportsCompleted(options?: MetricOptions): Metric {
    return this.#ofSteps('ExportsCompleted', options);
  }

  /** Exports that failed, in a step or in the sweep after a long halt. */
  metricExportsFailed(options?: MetricOptions): MathExpression {
    return this.metrics.failed('Failed exports').with(options ?? {});
  }

  /** Exports that halted without a key that the API accepts. */
  metricExportsHalted(options?: MetricOptions): Metric {
    return this.#ofSteps('ExportsHalted', options);
  }

  /** Exports that a person has ended. @returns `undefined` when there is no HTTP API. */
  metricExportsCancelled(options?: MetricOptions): Metric | undefined {
    return this.metrics.cancelled('ExportsCancelled')?.with(options ?? {});
  }

  /** Connections whose new key is not shown to be of the same organization; in whichever function met it first. */
  metricOrganizationChanges(options?: MetricOptions): MathExpression {
    return this.metrics.organizationChanges('Changes of organizations').with(options ?? {});
  }

  /** Level: currently stalled exports. */
  metricStalledExports(options?: MetricOptions): Metric {
    return this.metrics.level('StalledExports', 'Stalled exports').with(options ?? {});
  }

  /** Level: connections that currently wait for a new key. */
  metricHaltedExports(options?: MetricOptions): Metric {
    return this.metrics.level('HaltedExports', 'Halted connections').with(options ?? {});
  }

  /** Level: exports that currently wait for the turn of their list. */
  metricQueuedExports(options?: MetricOptions): Metric {
    return this.metrics.level('QueuedExports', 'Queued exports').with(options ?? {});
  }

  /** Level: seconds that the export has waited for its turn which has done so the longest. */
  metricLongestQueued(options?: MetricOptions): Metric {
    return this.metrics
      .level('LongestQueuedSeconds', 'Longest in the line (s)')
      .with(options ?? {});
  }

  /**
   * Seconds since the end of the newest complete export, for the list with the oldest one, each hour.
   *
   * @returns `undefined` when no connection has an enabled schedule.
   */
  metricNewestCompleteAge(options?: MetricOptions): Metric | undefined {
    return this.metrics.newestCompleteAge('Newest complete export (s)')?.with(options ?? {});
  }

  /**
   * Lists with a schedule and without a complete export, each hour.
   *
   * @returns `undefined` when no connection has an enabled schedule.
   */
  metricConnectionsNeverExported(options?: MetricOptions): Metric | undefined {
    return this.metrics.neverExported('Connections never exported')?.with(options ?? {});
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
  metricRecordsAdded(options?: MetricOptions): Metric | undefined {
    return this.changeMetrics?.found('RecordsAdded', 'Records added').with(options ?? {});
  }

  /** Records that are other than in the export before. @returns `undefined` when exports are not compared. */
  metricRecordsChanged(options?: MetricOptions): Metric | undefined {
    return this.changeMetrics?.found('RecordsChanged', 'Records changed').with(options ?? {});
  }

  /** Records that are gone since the export before. @returns `undefined` when exports are not compared. */
  metricRecordsRemoved(options?: MetricOptions): Metric | undefined {
    return this.changeMetrics?.found('RecordsRemoved', 'Records removed').with(options ?? {});
  }

  /** Level: changes that currently wait for a person. @returns `undefined` when exports are not compared. */
  metricChangesHeld(options?: MetricOptions): Metric | undefined {
    return this.changeMetrics?.level('ChangesHeld', 'Changes held').with(options ?? {});
  }

  /**
   * Level: seconds that changes have been on their way to be told, of those which have been so the longest.
   *
   * @returns `undefined` when exports are not compared.
   */
  metricChangesWaiting(options?: MetricOptions): Metric | undefined {
    const label = 'Changes on their way (s)';
    return this.changeMetrics?.level('ChangesWaitingSeconds', label).with(options ?? {});
  }

  /** Level: writes that are unclear and wait for a person. @returns `undefined` when no connection declares an operation. */
  metricUnclearWrites(options?: MetricOptions): Metric | undefined {
    return this.writeMetrics?.level('UnclearWrites', 'Unclear writes').with(options ?? {});
  }

  /** Level: currently stalled writes. @returns `undefined` when no connection declares an operation. */
  metricStalledWrites(options?: MetricOptions): Metric | undefined {
    return this.writeMetrics?.level('StalledWrites', 'Stalled writes').with(options ?? {});
  }

  /** Level: writes that currently wait for a new key. @returns `undefined` when no connection declares an operation. */
  metricHaltedWrites(options?: MetricOptions): Metric | undefined {
    return this.writeMetrics?.level('HaltedWrites', 'Halted writes').with(options ?? {});
  }

  #ofSteps(name: MetricName, options: MetricOptions = {}): Metric {
    return this.metrics.ofSteps(name, name).with(options);
  }
}
