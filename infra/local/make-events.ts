import { randomUUID } from 'node:crypto';
import type * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import type { UsageMeter } from './endpoint/usage.ts';
import type { EventBuses, Rule } from './services/eventbridge/event-buses.ts';
import { compilePattern } from './services/eventbridge/event-pattern.ts';
import type { Targets } from './services/eventbridge/targets.ts';
import { parseScheduleExpression } from './services/scheduler/schedule-expression.ts';
import { scheduleInput } from './services/scheduler/schedule-input.ts';
import type { Occurrence } from './services/scheduler/schedules.ts';
import { busNameOf, type ResourceIdentity } from './template/made-resources.ts';
import type { ruleSchema, scheduleSchema } from './template/resource-schemas.ts';

type RuleProperties = v.InferOutput<typeof ruleSchema>;
type ScheduleProperties = v.InferOutput<typeof scheduleSchema>;

/**
 * Makes an `AWS::Events::Rule`.
 *
 * @returns The times at which a rule with a schedule fires; nothing for a rule with a pattern only.
 * @throws SettingError when its bus is not there or its pattern or schedule cannot be run.
 */
export function makeRule(
  logicalId: string,
  { name, arn = '' }: ResourceIdentity,
  properties: RuleProperties,
  buses: EventBuses,
  nowMs: number,
): readonly Occurrence[] {
  const place = `${logicalId} (AWS::Events::Rule)`;
  const bus = busNameOf(properties.EventBusName);
  if (!buses.hasBus(bus)) throw new SettingError(place, `there is no event bus ${bus}`);
  if (properties.State === 'DISABLED') return [];
  const { EventPattern, ScheduleExpression } = properties;
  const rule: Rule = {
    name,
    arn,
    bus,
    pattern: EventPattern === undefined ? undefined : compilePattern(EventPattern, place),
    targets: properties.Targets.map((target) => ({
      arn: target.Arn,
      roleArn: target.RoleArn,
      messageGroupId: target.SqsParameters?.MessageGroupId,
      deadLetterArn: target.DeadLetterConfig?.Arn,
      shape: {
        input: target.Input,
        inputPath: target.InputPath,
        transformer: target.InputTransformer && {
          paths: target.InputTransformer.InputPathsMap,
          template: target.InputTransformer.InputTemplate,
        },
      },
    })),
  };
  buses.addRule(rule);
  if (ScheduleExpression === undefined) return [];
  const expression = parseScheduleExpression(ScheduleExpression, 'UTC', place);
  // A rule's rate begins after its first period, unlike a schedule's.
  const startMs = expression.kind === 'rate' ? nowMs + expression.periodMs : nowMs;
  const event = {
    source: 'aws.events',
    detailType: 'Scheduled Event',
    detail: {},
    resources: [arn],
  };
  return [{ expression, startMs, fire: (timeMs) => buses.fire(rule, { ...event, timeMs }) }];
}

/**
 * Makes an `AWS::Scheduler::Schedule`.
 *
 * @throws SettingError when its expression cannot be run.
 */
export function makeSchedule(
  logicalId: string,
  { arn = '' }: ResourceIdentity,
  properties: ScheduleProperties,
  targets: Targets,
  meter: UsageMeter,
  nowMs: number,
): readonly Occurrence[] {
  const { ScheduleExpression, ScheduleExpressionTimezone, StartDate, EndDate, Target } = properties;
  const expression = parseScheduleExpression(
    ScheduleExpression,
    ScheduleExpressionTimezone,
    `${logicalId} (AWS::Scheduler::Schedule)`,
  );
  if (properties.State === 'DISABLED') return [];
  const target = {
    arn: Target.Arn,
    roleArn: Target.RoleArn,
    messageGroupId: Target.SqsParameters?.MessageGroupId,
    deadLetterArn: Target.DeadLetterConfig?.Arn,
    event: Target.EventBridgeParameters && {
      source: Target.EventBridgeParameters.Source,
      detailType: Target.EventBridgeParameters.DetailType,
    },
  };
  const fire = (scheduledMs: number) => {
    meter.schedulerInvocation();
    const run = { scheduleArn: arn, scheduledMs, executionId: randomUUID() };
    targets.deliver(target, scheduleInput(Target.Input, run), { scheduleArn: arn });
  };
  return [
    {
      expression,
      startMs: StartDate === undefined ? nowMs : Date.parse(StartDate),
      endMs: EndDate === undefined ? undefined : Date.parse(EndDate),
      fire,
    },
  ];
}
