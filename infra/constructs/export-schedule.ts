import { Duration, TimeZone } from 'aws-cdk-lib';
import {
  type IScheduleGroup,
  type IScheduleTarget,
  Schedule,
  ScheduleExpression,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { DEFAULT_TIMEZONE, type ScheduleSettings } from '../schedule-settings.ts';

export interface ExportScheduleProps {
  readonly description: string;
  readonly settings: ScheduleSettings;
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
    const { description, settings, group, target } = props;
    const { expression, timezone, flexibleWindowMinutes, enabled, start, end } = settings;
    const planned = new Schedule(this, 'Schedule', {
      description,
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
      target,
    });
    // The schedule holds the name of its group as text, which tells CloudFormation nothing of the order.
    planned.node.addDependency(group);
  }
}
