import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { allowKeys } from '../foundation/encryption.ts';
import { allowSend } from '../foundation/queue-statements.ts';

export interface SchedulerRoleProps {
  readonly group: IScheduleGroup;
  readonly functions: readonly IFunction[];
  readonly queues: readonly IQueue[];
}

/**
 * The role of all schedules of a group. The CDK's role for a target may also invoke every version of the
 * function; this role has exactly the permissions it needs, and only this group can assume it.
 */
export class SchedulerRole extends Construct {
  readonly role: IRole;

  constructor(scope: Construct, id: string, props: SchedulerRoleProps) {
    super(scope, id);
    const { group, functions, queues } = props;
    const { account } = Stack.of(this);
    const groupArn = Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule-group',
      resourceName: group.scheduleGroupName,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    const role = new Role(this, 'Role', {
      description: 'Starts exports as scheduled',
      // The scheduler acts for the group (user guide, "Cross-service confused deputy prevention").
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': groupArn },
        },
      }),
    });
    const statements = [
      ...(functions.length === 0
        ? []
        : [
            new PolicyStatement({
              actions: ['lambda:InvokeFunction'],
              resources: functions.map(({ functionArn }) => functionArn),
            }),
          ]),
      allowSend(...queues),
    ];
    for (const each of [...statements, ...allowKeys(this, statements)]) role.addToPolicy(each);
    // Otherwise targets would add their broader statement.
    this.role = role.withoutPolicyUpdates();
  }
}
