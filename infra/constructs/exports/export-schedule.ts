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
  readonly description: string;
  readonly options: ExportScheduleOptions;
  readonly group: IScheduleGroup;
  readonly target: IScheduleTarget;
}

/** How often and how long the scheduler tries to hand over a start. */
export const START_DELIVERY = {
  retryAttempts: 10, // with the scheduler's growing waits about an hour
  maxEventAge: Duration.hours(1), // a start that is later still belongs to the next one
} as const;

/** Starts exports again and again. */
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
      ...defined({ enabled, start, end }),
      target,
    });
    // The schedule holds the name of its group as text, which tells CloudFormation nothing of the order.
    planned.node.addDependency(group);
  }
}
