import * as v from 'valibot';
import { resourceType } from '../resource-type.ts';

/** A group is a name; its schedules carry it in their ARNs. */
export const schedulerScheduleGroup = resourceType({
  type: 'AWS::Scheduler::ScheduleGroup',
  schema: v.strictObject({ Name: v.string() }),
  nameProperty: 'Name',
  identity: (name, { region, accountId }) => ({
    arn: `arn:aws:scheduler:${region}:${accountId}:schedule-group/${name}`,
  }),
  make: () => {},
});
