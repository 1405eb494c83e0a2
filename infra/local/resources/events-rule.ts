import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { inert, resourceType } from '../resource-type.ts';
import { busNameOf } from '../services/eventbridge/event-buses.ts';
import { compilePattern } from '../services/eventbridge/event-pattern.ts';
import { parseScheduleExpression } from '../services/scheduler/schedule-expression.ts';

const schema = v.strictObject({
  Description: inert,
  EventBusName: v.optional(v.string()),
  EventPattern: v.optional(recordOf(v.string(), v.unknown())),
  ScheduleExpression: v.optional(v.string()),
  State: v.optional(v.literal('ENABLED')),
  Targets: v.array(
    v.strictObject({
      Arn: v.string(),
      Id: inert,
      DeadLetterConfig: v.optional(v.strictObject({ Arn: v.string() })),
    }),
  ),
});

export const eventsRule = resourceType({
  type: 'AWS::Events::Rule',
  schema,
  identity: (name, { region, accountId }, property) => {
    const bus = busNameOf(property('EventBusName'));
    const path = bus === 'default' ? name : `${bus}/${name}`;
    const arn = `arn:aws:events:${region}:${accountId}:rule/${path}`;
    return { arn, ref: path.replace('/', '|') };
  },
  remove: ({ arn }, { buses }) => buses.removeRule(arn),
  make: ({ arn, place, properties }, { engines: { buses }, occurrences, startedMs }) => {
    const bus = busNameOf(properties.EventBusName);
    if (!buses.hasBus(bus)) throw new SettingError(place, `there is no event bus ${bus}`);
    const { EventPattern, ScheduleExpression, Targets } = properties;
    const rule = {
      arn,
      bus,
      pattern: EventPattern && compilePattern(EventPattern, place),
      targets: Targets.map(({ Arn, DeadLetterConfig }) => ({
        arn: Arn,
        deadLetterArn: DeadLetterConfig?.Arn,
      })),
    };
    buses.addRule(rule);
    if (ScheduleExpression === undefined) return;
    const expression = parseScheduleExpression(ScheduleExpression, 'UTC', place);
    const event = {
      source: 'aws.events',
      detailType: 'Scheduled Event',
      detail: {},
      resources: [arn],
    };
    occurrences.push({
      expression,
      // A rule's rate begins after its first period, unlike a schedule's.
      startMs: startedMs + (expression.kind === 'rate' ? expression.periodMs : 0),
      fire: (timeMs) => buses.fire(rule, { ...event, timeMs }),
    });
  },
});
