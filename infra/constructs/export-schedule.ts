import { Duration, TimeZone } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  type IScheduleGroup,
  Schedule,
  ScheduleExpression,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StartInput } from '../../functions/start-input.ts';
import {
  DEFAULT_TIMEZONE,
  type ScheduleSettings,
  scheduleSettingsOf,
} from '../schedule-settings.ts';

export interface ExportScheduleProps {
  readonly connection: string;
  /** The expression alone, or all settings. */
  readonly schedule: string | ScheduleSettings;
  readonly group: IScheduleGroup;
  /** What the scheduler acts as. */
  readonly role: IRole;
  readonly startExport: IFunction;
  /** Takes starts that the scheduler could not hand over. */
  readonly undelivered: IQueue;
}

/** Starts the exports of one connection again and again. */
export class ExportSchedule extends Construct {
  /** @throws SettingError naming what is wrong with the schedule. */
  constructor(scope: Construct, id: string, props: ExportScheduleProps) {
    super(scope, id);
    const { connection, schedule, group, role, startExport, undelivered } = props;
    const settings = scheduleSettingsOf(schedule, `schedules.${connection}`);
    const { expression, timezone, flexibleWindowMinutes, enabled, start, end } = settings;
    const input: StartInput = {
      connection,
      // The time that was planned, not the time of delivery: a start delivered twice starts one export.
      trigger: { kind: 'schedule', scheduledTime: ContextAttribute.scheduledTime },
    };
    const planned = new Schedule(this, 'Schedule', {
      description: `Exports of ${connection}`,
      scheduleGroup: group,
      schedule: ScheduleExpression.expression(
        expression,
        TimeZone.of(timezone ?? DEFAULT_TIMEZONE),
      ),
      timeWindow:
        flexibleWindowMinutes === undefined
          ? TimeWindow.off()
          : TimeWindow.flexible(Duration.minutes(flexibleWindowMinutes)),
      ...(enabled === undefined ? {} : { enabled }),
      ...(start === undefined ? {} : { start: new Date(start) }),
      ...(end === undefined ? {} : { end: new Date(end) }),
      target: new LambdaInvoke(startExport, {
        role,
        input: ScheduleTargetInput.fromObject(input),
        retryAttempts: 10, // with the scheduler's growing waits about an hour
        maxEventAge: Duration.hours(1), // a start that is later still belongs to the next one
        deadLetterQueue: undelivered,
      }),
    });
    // The schedule holds the name of its group as text, which tells CloudFormation nothing of the order.
    planned.node.addDependency(group);
  }
}
