import { Duration } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type AlarmRule, alarmOf, DEFAULT_RUNBOOK } from './alarm-rule.ts';
import type { IntegrationMetrics } from './integration-metrics.ts';
import { changeAlarmRules } from './watch-changes.ts';
import { writeAlarmRules } from './watch-writes.ts';

export interface AlarmOptions {
  /**
   * Gets each alarm and its end. With a policy or a KMS key of its own it needs
   * `topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'))`, or no alarm arrives.
   *
   * @default - alarms only show in CloudWatch
   */
  readonly topic?: ITopic | undefined;
  /**
   * Oldest age of a completed export for a list with a schedule: whole hours, 1 to 8,784. More than the longest time
   * between two planned starts and the export itself, or the alarm fires each time.
   *
   * @default Duration.hours(26): a day, and two hours for the export itself
   */
  readonly noCompleteExportAfter?: Duration | undefined;
  /**
   * Where people on call find docs/runbook.md, whose headings are the anchors: an https: address without a fragment,
   * or a path in your own documentation. Up to 500 characters.
   *
   * @default 'docs/runbook.md', the file in this package
   */
  readonly runbook?: string | undefined;
}

export const DEFAULT_NO_COMPLETE_EXPORT_AFTER = Duration.hours(26);

export interface AlarmsProps extends AlarmOptions {
  readonly metrics: IntegrationMetrics;
}

/** The alarms of a stack. Each names a section of the runbook. */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, props: AlarmsProps) {
    const { metrics, topic, runbook = DEFAULT_RUNBOOK } = props;
    super(scope, id);
    const action = topic === undefined ? undefined : new SnsAction(topic);
    const rules = {
      ...messageRules(metrics),
      ...exportRules(metrics),
      ...ageRules(metrics, props.noCompleteExportAfter ?? DEFAULT_NO_COMPLETE_EXPORT_AFTER),
      ...writeAlarmRules(metrics),
      ...changeAlarmRules(metrics),
    };
    for (const [name, rule] of Object.entries(rules)) {
      const alarm = alarmOf(this, name, runbook, rule);
      if (action === undefined) continue;
      alarm?.addAlarmAction(action);
      alarm?.addOkAction(action);
    }
  }
}

/**
 * A wake-up is at most 15 minutes old by its delay and 5 by its step, and 30 more after each crash (the
 * visibility timeout): two hours are four crashes in a row, or a long wait for one of too few workers.
 */
const OLDEST_MESSAGE = Duration.hours(2);

/**
 * A message that waits for its turn is sent again and stays young, and one that fails is a dead letter after some hours.
 * SQS deletes one after four days (`WorkQueue`): of a write that was sent as a message it is the only copy.
 */
const STALE_MESSAGE = Duration.days(1);

function messageRules(metrics: IntegrationMetrics): Readonly<Record<string, AlarmRule>> {
  const { deadLetterQueue, undelivered, descriptions } = metrics.watched;
  return {
    DeadLetters: {
      says: 'The dead-letter queue of the worker is not empty: a wake-up failed five times or cannot be understood.',
      section: 'dead-letters',
      isLevel: true,
      metric: metrics.waiting(deadLetterQueue, 'Dead letters'),
      above: 0, // no dead letter is harmless
    },
    Undelivered: {
      says: 'The queue of what could not be delivered is not empty: a start, a sweep or an event got lost on its way.',
      section: 'undelivered',
      isLevel: true,
      metric: metrics.waiting(undelivered, 'Undelivered'),
      above: 0, // each is a start that somebody waits for
    },
    Undescribed: {
      says: 'The dead-letter queue of descriptions is not empty: a completed export has no report, and perhaps the tables do not read it.',
      section: 'undescribed',
      isLevel: true,
      metric: metrics.waiting(descriptions?.queue.deadLetterQueue, 'Undescribed exports'),
      above: 0, // a part of the export may be damaged
    },
    OldestMessage: {
      says: `A wake-up has been in the queue for more than ${OLDEST_MESSAGE.toHours()} hours.`,
      section: 'oldest-message',
      metric: metrics.oldestMessage('Oldest message'),
      above: OLDEST_MESSAGE.toSeconds(),
    },
    StaleMessage: {
      says: 'A message has been for more than a day in a queue other than that of wake-ups. SQS deletes it after four.',
      section: 'stale-message',
      metric: metrics.oldestOfOthers('Oldest of other messages'),
      above: STALE_MESSAGE.toSeconds(),
    },
    FunctionErrors: {
      says: 'Functions keep failing.',
      section: 'function-errors',
      metric: metrics.errors('Errors'),
      above: 0,
      // After one crash the message is delivered again. Crashes in two of three periods need a person.
      periods: 3,
      ofThem: 2,
    },
    HttpApiErrors: {
      says: 'Functions of the HTTP API keep failing.',
      section: 'http-api-errors',
      metric: metrics.httpErrors('Errors of the HTTP API'),
      above: 0,
      // The caller is told, and asks again. Failures in two of three periods need a person.
      periods: 3,
      ofThem: 2,
    },
    WorkerThrottles: {
      says: 'Lambda refuses to run the worker: the account has no free concurrency left.',
      section: 'worker-throttles',
      metric: metrics.workerThrottles('Throttles'),
      above: 0,
      periods: 3, // a burst of another application ends within minutes, and throttled messages are delivered again
    },
  };
}

function exportRules(metrics: IntegrationMetrics): Readonly<Record<string, AlarmRule>> {
  return {
    ExportStalled: {
      says: 'An export stands still although the sweep wakes it, or its steps keep breaking off.',
      section: 'export-stalled',
      isLevel: true,
      metric: metrics.of('StalledExports', 'Stalled exports'),
      above: 0,
      periods: 3, // the first sweep wakes it; if it is still stalled at the third, waking does not help
    },
    ConnectionHalted: {
      says: 'A connection is halted: its key is missing, malformed or was refused by the API.',
      section: 'connection-halted',
      isLevel: true,
      metric: metrics.of('HaltedExports', 'Halted exports'),
      above: 0, // only a person can store another key
    },
    WaitTooLong: {
      says: 'The API asked a connection to wait longer than maxWaitSeconds.',
      section: 'wait-too-long',
      metric: metrics.ofCallers('WaitsTooLong', 'Waits too long'),
      above: 0, // nothing goes on before that time, unless a person opens the gate
    },
    ExportFailed: {
      says: 'An export failed.',
      section: 'export-failed',
      metric: metrics.failed('Failed exports'),
      above: 0, // all retries have failed by then
    },
    OrganizationChanged: {
      says: 'The new key of a connection is of another organization, or not shown to be of the same one.',
      section: 'organization-changed',
      metric: metrics.ofCallers('OrganizationChanges', 'Changes of organizations'),
      above: 0, // exports of it began anew and writes were parked: a person knows whether that was meant
    },
  };
}

function ageRules(
  metrics: IntegrationMetrics,
  noCompleteExportAfter: Duration,
): Readonly<Record<string, AlarmRule>> {
  const hours = noCompleteExportAfter.toHours();
  return {
    NoCompleteExport: {
      says: `The newest completed export of a list with a schedule is older than ${hours} hours.`,
      section: 'no-complete-export',
      isLevel: true,
      metric: metrics.of('NewestCompleteAgeSeconds', 'Age of the newest completed export'),
      above: Duration.hours(hours).toSeconds(),
    },
    NeverExported: {
      says: `A list with a schedule has had no completed export at all for ${hours} hours.`,
      section: 'never-exported',
      isLevel: true,
      metric: metrics.of('ConnectionsNeverExported', 'Connections never exported'),
      above: 0,
      periods: 2, // a connection in the settings has an hour to get its secret
    },
  };
}
