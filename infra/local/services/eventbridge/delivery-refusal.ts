import type { Access } from '../../iam/access.ts';
import type { IamRequest } from '../../iam/request.ts';
import type { DeliveryRefusalOf } from './targets.ts';

/** What a delivery does to the resource it goes to, by the service in its ARN. */
const ACTIONS: Readonly<Record<string, string>> = {
  sqs: 'sqs:SendMessage',
  lambda: 'lambda:InvokeFunction',
  events: 'events:PutEvents',
};

/**
 * Decides deliveries of rules and schedules: with a role by the role, else by the policy of the queue or
 * function (EventBridge user guide, "Permissions for targets").
 */
export function deliveryRefusal(access: Access): DeliveryRefusalOf {
  return (arn, roleArn, origin) => {
    const [, , service = ''] = arn.split(':');
    const action = ACTIONS[service];
    // Where nothing can be delivered to, there is nothing to allow.
    if (action === undefined) return undefined;
    const request: IamRequest = { action, resource: arn, context: {} };
    const source = origin['ruleArn'] ?? origin['scheduleArn'] ?? '';
    return roleArn === undefined
      ? access.serviceRefusal('events.amazonaws.com', source, request)
      : access.refusal(source, [request]);
  };
}
