import { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  type IScheduleGroup,
  Schedule,
  type ScheduleExpression,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StartInput } from '../../functions/start-input.ts';
import { SettingError } from '../../lib/index.ts';
import { expressionProblem } from '../schedule-settings.ts';

/** When the exports of a connection start by themselves. */
export interface ExportScheduleOptions {
  /** `rate` or `cron`, the latter in its time zone. */
  readonly schedule: ScheduleExpression;
  /** The start may be this much later than planned, 1 to 1440 minutes. @default - it is on time */
  readonly flexibleWindow?: Duration | undefined;
  /** @default true */
  readonly enabled?: boolean | undefined;
  /** No start before. @default - at once */
  readonly start?: Date | undefined;
  /** No start after. @default - for ever */
  readonly end?: Date | undefined;
}

export interface ExportScheduleProps {
  readonly connection: string;
  readonly options: ExportScheduleOptions;
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
    const { connection, options, group, role, startExport, undelivered } = props;
    const { schedule, flexibleWindow, enabled, start, end } = options;
    const problem = expressionProblem(schedule.expressionString);
    if (problem !== undefined) throw new SettingError(`schedules.${connection}`, problem);
    const input: StartInput = {
      connection,
      // The time that was planned, not the time of delivery: a start delivered twice starts one export.
      trigger: { kind: 'schedule', scheduledTime: ContextAttribute.scheduledTime },
    };
    const planned = new Schedule(this, 'Schedule', {
      description: `Exports of ${connection}`,
      scheduleGroup: group,
      schedule,
      timeWindow:
        flexibleWindow === undefined ? TimeWindow.off() : TimeWindow.flexible(flexibleWindow),
      ...(enabled === undefined ? {} : { enabled }),
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
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
