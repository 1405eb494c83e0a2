import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { inert, resourceType } from '../resource-type.ts';
import { parseScheduleExpression } from '../services/scheduler/schedule-expression.ts';
import { SCHEDULED_TIME, scheduleInput } from '../services/scheduler/schedules.ts';

/** ValidationException "The StartDate you specify cannot be earlier than 5 minutes ago." */
const OLDEST_START_MS = 5 * 60_000;

const schema = v.strictObject({
  GroupName: v.string(),
  Description: inert,
  // Here a window is a point: the schedule fires when the window opens.
  FlexibleTimeWindow: inert,
  ScheduleExpression: v.string(),
  ScheduleExpressionTimezone: v.optional(v.string(), 'UTC'),
  StartDate: v.optional(v.string()),
  EndDate: v.optional(v.string()),
  State: v.optional(v.picklist(['ENABLED', 'DISABLED']), 'ENABLED'),
  Target: v.strictObject({
    Arn: v.string(),
    RoleArn: v.string(),
    Input: v.pipe(
      v.string(),
      v.check(hasKnownAttributes, `only ${SCHEDULED_TIME} is filled in here`),
    ),
    DeadLetterConfig: v.strictObject({ Arn: v.string() }),
    SqsParameters: v.optional(v.strictObject({})),
    // A delivery inside one process succeeds or can never succeed: there is nothing to repeat.
    RetryPolicy: inert,
  }),
});

export const schedulerSchedule = resourceType({
  type: 'AWS::Scheduler::Schedule',
  schema,
  identity: (name, { region, accountId }, property) => ({
    arn: `arn:aws:scheduler:${region}:${accountId}:schedule/${property('GroupName')}/${name}`,
  }),
  make: ({ arn, place, properties }, { engines, occurrences, startedMs }) => {
    const { ScheduleExpression, ScheduleExpressionTimezone, StartDate, EndDate } = properties;
    const { Arn, RoleArn, Input, DeadLetterConfig } = properties.Target;
    const { region, accountId } = engines.place;
    engines.access.addCaller({
      caller: arn,
      roleArn: RoleArn,
      service: 'scheduler.amazonaws.com',
      // Scheduler names the group as the source (user guide, "Confused deputy prevention").
      sourceArn: `arn:aws:scheduler:${region}:${accountId}:schedule-group/${properties.GroupName}`,
      place,
    });
    const expression = parseScheduleExpression(
      ScheduleExpression,
      ScheduleExpressionTimezone,
      place,
    );
    const startMs = StartDate === undefined ? startedMs : Date.parse(StartDate);
    if (startMs < startedMs - OLDEST_START_MS) {
      throw new SettingError(
        place,
        `EventBridge Scheduler refuses the StartDate ${StartDate}: it is more than five minutes ago`,
      );
    }
    if (properties.State === 'DISABLED') return;
    const target = { arn: Arn, deadLetterArn: DeadLetterConfig.Arn };
    occurrences.push({
      expression,
      startMs,
      endMs: EndDate === undefined ? undefined : Date.parse(EndDate),
      fire(scheduledMs) {
        engines.meter.bill('schedulerInvocations');
        engines.targets.deliver(target, scheduleInput(Input, scheduledMs), {
          kind: 'schedule',
          arn,
        });
      },
    });
  },
});

function hasKnownAttributes(input: string): boolean {
  return !input.replaceAll(SCHEDULED_TIME, '').includes('<aws.scheduler.');
}
