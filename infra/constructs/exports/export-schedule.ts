import { Duration } from 'aws-cdk-lib';
import {
  type IScheduleGroup,
  type IScheduleTarget,
  Schedule,
  type ScheduleExpression,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { defined } from '../../../lib/defined.ts';

/** When the exports of a connection start automatically. */
export interface ExportScheduleOptions {
  /** `rate`, or `cron` with its time zone. */
  readonly schedule: ScheduleExpression;
  /** Starts are delayed by up to this, 1 to 1440 minutes. @default - no delay */
  readonly flexibleWindow?: Duration | undefined;
  /** @default true */
  readonly enabled?: boolean | undefined;
  /** No start before. One that is over when the stack is synthesized is left out. @default - immediately */
  readonly start?: Date | undefined;
  /** No start after. One that is over when the stack is synthesized switches the schedule off. @default - no end */
  readonly end?: Date | undefined;
}

export interface ExportScheduleProps {
  readonly description: string;
  readonly options: ExportScheduleOptions;
  readonly group: IScheduleGroup;
  readonly target: IScheduleTarget;
}

export const START_DELIVERY = {
  retryAttempts: 10, // about an hour, with the scheduler's growing waits
  maxEventAge: Duration.hours(1), // a later start belongs to the next planned one
} as const;

export class ExportSchedule extends Construct {
  constructor(scope: Construct, id: string, props: ExportScheduleProps) {
    super(scope, id);
    const { description, options, group, target } = props;
    const { schedule, flexibleWindow, enabled, start, end } = options;
    const planned = new Schedule(this, 'Schedule', {
      description,
      scheduleGroup: group,
      schedule,
      timeWindow:
        flexibleWindow === undefined ? TimeWindow.off() : TimeWindow.flexible(flexibleWindow),
      ...(isOver(end) ? { enabled: false } : defined({ enabled, start: stillAhead(start), end })),
      target,
    });
    // The schedule holds the name of its group as text, so CloudFormation does not know the order.
    planned.node.addDependency(group);
  }
}

/** Nothing starts any more: it is switched off, since nobody says that the scheduler takes an end that is over. */
function isOver(end: Date | undefined): boolean {
  return end !== undefined && end.getTime() <= Date.now();
}

/**
 * EventBridge Scheduler refuses a `StartDate` of more than five minutes ago, and is given it again whenever the schedule
 * is changed: once it was over, no deployment that changes the schedule would succeed.
 */
function stillAhead(start: Date | undefined): Date | undefined {
  return start !== undefined && start.getTime() > Date.now() ? start : undefined;
}
