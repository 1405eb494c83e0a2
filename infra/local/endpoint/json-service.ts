import { parseJson } from '../../../lib/json/json-value.ts';
import type { Access } from '../iam/access.ts';
import type { IamRequest } from '../iam/request.ts';
import {
  type AwsService,
  answerError,
  answerWith,
  isServiceError,
  JSON_TYPE,
  type ServiceError,
  serviceError,
} from './aws-call.ts';

/** What a service of the AWS JSON protocol does; what all of them do is done by {@link jsonService}. */
export interface JsonService {
  /** The actions that are run; every other one is refused. */
  readonly actions: ReadonlySet<string>;
  /** What a call needs the caller's role to allow. */
  requests(action: string, parameters: unknown): readonly IamRequest[];
  answer(caller: string, action: string, parameters: unknown): Promise<JsonAnswer | ServiceError>;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: string;
}

export function jsonAnswer(value: unknown): JsonAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

/** Answers the calls of a service: first its permissions are checked, then whether the action is run here. */
export function jsonService(access: Pick<Access, 'refusal'>, service: JsonService): AwsService {
  return async ({ caller, request, body, response }) => {
    // `SendMessage` of `X-Amz-Target: AmazonSQS.SendMessage`.
    const action = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const parameters = parseJson(body.toString());
    const answer = await answerTo(caller, action, parameters);
    if (isServiceError(answer)) {
      answerError(response, answer);
    } else {
      answerWith(response, answer.status, answer.body, JSON_TYPE);
    }
  };

  async function answerTo(caller: string, action: string, parameters: unknown) {
    const denial = access.refusal(caller, service.requests(action, parameters));
    if (denial !== undefined) {
      return serviceError('AccessDeniedException', denial.message);
    }
    if (service.actions.has(action)) return service.answer(caller, action, parameters);
    const run = [...service.actions].join(', ');
    const message = `The local endpoint does not run ${action}; it runs ${run}.`;
    return serviceError('UnknownOperationException', message);
  }
}
