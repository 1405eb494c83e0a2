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

export type Targets = ReturnType<typeof createTargets>;

export interface TargetServices {
  readonly queues: Queues;
  readonly host: Pick<FunctionInvoker, 'find'>;
  readonly invoker: AsyncInvoker;
  readonly access: Pick<Access, 'refusal' | 'serviceRefusal'>;
}

/** The service that calls on the stack's behalf, in usage(). */
const CALLER = 'events';

export function createTargets(services: TargetServices) {
  let pending = 0;
  return {
    /** Does not wait and does not fail: what cannot be delivered goes to the dead-letter queue. */
    deliver(target: Target, text: string, sender: Sender): void {
      pending += 1;
      void deliver(services, target, text, sender).finally(() => {
        pending -= 1;
      });
    },
    /** Deliveries under way. */
    get pending(): number {
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
  const hasArrived = await arrives(services, arn, text, sender);
  if (!hasArrived && deadLetterArn !== undefined) {
    await arrives(services, deadLetterArn, text, sender);
  }
}

/** Whether it could be delivered; nothing here can succeed on a second attempt. */
async function arrives(
  { access, queues, host, invoker }: TargetServices,
  arn: string,
  text: string,
  sender: Sender,
): Promise<boolean> {
  if (denialOf(access, arn, sender) !== undefined) return false;
  if (serviceOf(arn) === 'sqs') {
    const QueueUrl = queues.nameOfArn(arn);
    const answer = await queues.call(CALLER, 'SendMessage', { QueueUrl, MessageBody: text });
    return 'body' in answer && answer.status === 200;
  }
  const definition = host.find(arn);
  if (definition !== undefined) invoker.invoke(definition, text);
  return definition !== undefined;
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

function serviceOf(arn: string): string | undefined {
  return arn.split(':')[2];
}
