import * as v from 'valibot';
import { isServiceError } from '../../endpoint/aws-call.ts';
import type { AsyncInvoker } from '../../lambda/async-invoker.ts';
import type { FunctionHost } from '../../lambda/function-host.ts';
import { busNameOf } from '../../template/made-resources.ts';
import type { Queues } from '../sqs/queues.ts';

/** What is put on a bus, or sent there by a target. */
export interface NewEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly resources: readonly string[];
  /** Unix time in milliseconds. @default now */
  readonly timeMs?: number;
}

/** Where a rule or a schedule delivers. */
export interface Target {
  readonly arn: string;
  readonly messageGroupId?: string | undefined;
  /** The role that delivers; without one the resource's policy must let the service in. */
  readonly roleArn?: string | undefined;
  /** Queue for what cannot be delivered. */
  readonly deadLetterArn?: string | undefined;
  /** For an event bus. */
  readonly event?: { readonly source: string; readonly detailType: string } | undefined;
}

/** Why a rule or schedule may not deliver to this resource; `undefined` when it may. */
export type DeliveryRefusalOf = (
  arn: string,
  roleArn: string | undefined,
  origin: Readonly<Record<string, string>>,
) => { readonly message: string } | undefined;

/** Delivers to queues, functions and event buses. */
export interface Targets {
  /** Does not wait and does not fail: what cannot be delivered goes to the dead-letter queue. */
  deliver(target: Target, text: string, origin: Readonly<Record<string, string>>): void;
  /** Deliveries under way. */
  readonly pending: number;
}

const detailSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

/** The service that calls on the stack's behalf, in usage(). */
const CALLER = 'events';

export function createTargets(
  queues: Queues,
  host: FunctionHost,
  invoker: AsyncInvoker,
  putEvent: (bus: string, event: NewEvent) => void,
  refusalOf: DeliveryRefusalOf,
): Targets {
  let pending = 0;

  return {
    deliver(target, text, origin) {
      pending += 1;
      void deliver(target, text, origin).finally(() => {
        pending -= 1;
      });
    },
    get pending() {
      return pending;
    },
  };

  async function deliver(
    target: Target,
    text: string,
    origin: Readonly<Record<string, string>>,
  ): Promise<void> {
    const refusal = refusalOf(target.arn, target.roleArn, origin);
    const problem = refusal === undefined ? await attempt(target, text) : refusal.message;
    const { deadLetterArn, roleArn } = target;
    if (problem === undefined || deadLetterArn === undefined) return;
    // A rule sends what it cannot deliver as itself, a schedule as its role.
    const sender = origin['ruleArn'] === undefined ? roleArn : undefined;
    if (refusalOf(deadLetterArn, sender, origin) !== undefined) return;
    await send(deadLetterArn, text, {
      MessageAttributes: attributesOf({
        ...(origin['ruleArn'] !== undefined && { RULE_ARN: origin['ruleArn'] }),
        ...(origin['scheduleArn'] !== undefined && { SCHEDULE_ARN: origin['scheduleArn'] }),
        TARGET_ARN: target.arn,
        ERROR_CODE: refusal === undefined ? 'TARGET_NOT_REACHED' : 'NO_PERMISSIONS',
        ERROR_MESSAGE: problem,
      }),
    });
  }

  /** What went wrong; nothing here can succeed on a second attempt. */
  async function attempt(target: Target, text: string): Promise<string | undefined> {
    const [, , service] = target.arn.split(':');
    if (service === 'sqs') {
      const group = target.messageGroupId;
      return send(target.arn, text, group === undefined ? {} : { MessageGroupId: group });
    }
    if (service === 'lambda') {
      const definition = host.find(target.arn);
      if (definition === undefined) return `there is no function ${target.arn}`;
      invoker.invoke(definition, text);
      return undefined;
    }
    if (service === 'events' && target.event !== undefined) {
      const detail = v.safeParse(detailSchema, text);
      if (!detail.success) return 'the input is not a JSON object';
      putEvent(busNameOf(target.arn), { ...target.event, detail: detail.output, resources: [] });
      return undefined;
    }
    return `the local stack does not deliver to ${target.arn}`;
  }

  async function send(arn: string, text: string, more: object): Promise<string | undefined> {
    const name = queues.nameOfArn(arn);
    if (name === undefined) return `there is no queue ${arn}`;
    const answer = await queues.call(CALLER, 'SendMessage', {
      QueueUrl: name,
      MessageBody: text,
      ...more,
    });
    if (isServiceError(answer)) return answer.message;
    return answer.status === 200 ? undefined : answer.body;
  }
}

function attributesOf(values: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(values).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  );
}
