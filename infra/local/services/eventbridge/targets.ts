import { defined } from '../../../../lib/defined.ts';
import { isServiceError } from '../../endpoint/aws-call.ts';
import type { Access, Denial } from '../../iam/access.ts';
import type { AsyncInvoker } from '../../lambda/async-invoker.ts';
import type { FunctionInvoker } from '../../lambda/function-host.ts';
import type { Queues } from '../sqs/queues.ts';

/** Where a rule or a schedule delivers. */
export interface Target {
  readonly arn: string;
  /** Queue for what cannot be delivered. */
  readonly deadLetterArn?: string | undefined;
}

/**
 * What delivers: a schedule as its role, a rule as EventBridge, which the policy of the queue or function must
 * let in (EventBridge user guide, "Permissions for targets").
 */
interface Sender {
  readonly kind: 'rule' | 'schedule';
  readonly arn: string;
}

export interface Targets {
  /** Does not wait and does not fail: what cannot be delivered goes to the dead-letter queue. */
  deliver(target: Target, text: string, sender: Sender): void;
  /** Deliveries under way. */
  readonly pending: number;
}

export interface TargetServices {
  readonly queues: Queues;
  readonly host: Pick<FunctionInvoker, 'find'>;
  readonly invoker: AsyncInvoker;
  readonly access: Pick<Access, 'refusal' | 'serviceRefusal'>;
}

/** The service that calls on the stack's behalf, in usage(). */
const CALLER = 'events';

export function createTargets(services: TargetServices): Targets {
  let pending = 0;
  return {
    deliver(target, text, sender) {
      pending += 1;
      void deliver(services, target, text, sender).finally(() => {
        pending -= 1;
      });
    },
    get pending() {
      return pending;
    },
  };
}

async function deliver(
  services: TargetServices,
  { arn, deadLetterArn }: Target,
  text: string,
  sender: Sender,
): Promise<void> {
  const { access, queues } = services;
  const denial = denialOf(access, arn, sender);
  const problem = denial === undefined ? await attempt(services, arn, text) : denial.message;
  if (problem === undefined || deadLetterArn === undefined) return;
  if (denialOf(access, deadLetterArn, sender) !== undefined) return;
  await send(queues, deadLetterArn, text, {
    RULE_ARN: sender.kind === 'rule' ? sender.arn : undefined,
    SCHEDULE_ARN: sender.kind === 'schedule' ? sender.arn : undefined,
    TARGET_ARN: arn,
    ERROR_CODE: denial === undefined ? 'TARGET_NOT_REACHED' : 'NO_PERMISSIONS',
    ERROR_MESSAGE: problem,
  });
}

function denialOf(
  access: TargetServices['access'],
  resource: string,
  { kind, arn }: Sender,
): Denial | undefined {
  const action = serviceOf(resource) === 'sqs' ? 'sqs:SendMessage' : 'lambda:InvokeFunction';
  const request = { action, resource };
  return kind === 'schedule'
    ? access.refusal(arn, [request])
    : access.serviceRefusal('events.amazonaws.com', arn, request);
}

/** What went wrong; nothing here can succeed on a second attempt. */
async function attempt(
  { queues, host, invoker }: TargetServices,
  arn: string,
  text: string,
): Promise<string | undefined> {
  if (serviceOf(arn) === 'sqs') return send(queues, arn, text);
  const definition = host.find(arn);
  if (definition === undefined) return `there is no function ${arn}`;
  invoker.invoke(definition, text);
  return undefined;
}

async function send(
  queues: Queues,
  arn: string,
  text: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): Promise<string | undefined> {
  const name = queues.nameOfArn(arn);
  if (name === undefined) return `there is no queue ${arn}`;
  const MessageAttributes = Object.fromEntries(
    Object.entries(defined(attributes)).map(([key, StringValue]) => [
      key,
      { DataType: 'String', StringValue },
    ]),
  );
  const answer = await queues.call(CALLER, 'SendMessage', {
    QueueUrl: name,
    MessageBody: text,
    MessageAttributes,
  });
  if (isServiceError(answer)) return answer.message;
  return answer.status === 200 ? undefined : answer.body;
}

function serviceOf(arn: string): string | undefined {
  return arn.split(':')[2];
}
