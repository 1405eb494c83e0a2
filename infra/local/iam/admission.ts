import { SettingError } from '../../../lib/errors.ts';
import type { MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../lambda/function-definition.ts';
import type { Place } from '../template/place.ts';
import type { Access } from './access.ts';

/** What Lambda wants of a function's role to read a queue (developer guide, "Execution role permissions"). */
const FEEDING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] as const;

/**
 * Lets a function call as its role.
 *
 * @throws SettingError where AWS refuses the function: a role that Lambda cannot assume, or that may not
 *   send to the function's dead-letter queue.
 */
export function admitFunction(
  access: Access,
  { logicalId, name, arn, deadLetterArn }: FunctionDefinition,
  { Role }: { readonly Role: string },
): void {
  const place = `${logicalId} (AWS::Lambda::Function)`;
  access.addCaller(name, Role, 'lambda.amazonaws.com', arn, place);
  if (deadLetterArn !== undefined) demand(access, name, ['sqs:SendMessage'], deadLetterArn, place);
}

/**
 * Checks that a function's role may read the queue that feeds it, as AWS does when a mapping is made.
 *
 * @throws SettingError naming the action that is missing.
 */
export function requireFeeding(
  access: Access,
  logicalId: string,
  mapping: MappingDefinition,
): void {
  const place = `${logicalId} (AWS::Lambda::EventSourceMapping)`;
  demand(access, mapping.function.name, FEEDING, mapping.queueArn, place);
}

/**
 * Lets a schedule deliver as its role. EventBridge Scheduler names the schedule's group as the source
 * (user guide, "Confused deputy prevention").
 *
 * @throws SettingError when Scheduler cannot assume the role.
 */
export function admitSchedule(
  access: Access,
  logicalId: string,
  schedule: { readonly arn: string; readonly group: string; readonly roleArn: string },
  { region, accountId }: Place,
): void {
  const groupArn = `arn:aws:scheduler:${region}:${accountId}:schedule-group/${schedule.group}`;
  access.addCaller(
    schedule.arn,
    schedule.roleArn,
    'scheduler.amazonaws.com',
    groupArn,
    `${logicalId} (AWS::Scheduler::Schedule)`,
  );
}

/**
 * Lets a rule deliver as the role of its targets, if they have one.
 *
 * @throws SettingError when EventBridge cannot assume the role, or the targets have several.
 */
export function admitRule(
  access: Access,
  logicalId: string,
  ruleArn: string,
  targets: readonly { readonly RoleArn?: string | undefined }[],
): void {
  const place = `${logicalId} (AWS::Events::Rule)`;
  const [role, ...others] = new Set(targets.flatMap(({ RoleArn }) => RoleArn ?? []));
  if (others.length > 0) {
    throw new SettingError(
      place,
      'the local stack runs one role a rule, and its targets have several',
    );
  }
  if (role !== undefined) access.addCaller(ruleArn, role, 'events.amazonaws.com', ruleArn, place);
}

function demand(
  access: Access,
  caller: string,
  actions: readonly string[],
  resource: string,
  place: string,
): void {
  const requests = actions.map((action) => ({ action, resource, context: {} }));
  const denial = access.refusal(caller, requests);
  if (denial !== undefined) throw new SettingError(place, denial.message);
}
