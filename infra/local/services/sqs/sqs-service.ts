import {
  type AwsService,
  answerJson,
  isServiceError,
  type RefusalOf,
  readJsonBody,
  type ServiceError,
  serviceError,
  targetActionOf,
} from '../../endpoint/aws-call.ts';
import type { Queues } from './queues.ts';

/** Amazon SQS for the callers of the endpoint. */
export function sqsService(queues: Queues, refusalOf: RefusalOf): AwsService {
  return async ({ caller, request, response }) => {
    const action = targetActionOf(request);
    const parameters = await readJsonBody(request);
    const refusal = refusalOf(caller, action, parameters);
    const answer =
      refusal === undefined
        ? await queues.call(caller, action, parameters)
        : serviceError('com.amazon.coral.service#AccessDeniedException', refusal.message, 403);
    if (isServiceError(answer)) {
      answerJson(response, answer, { 'x-amzn-query-error': `${queryCodeOf(answer)};Sender` });
      return;
    }
    response.writeHead(answer.status, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(answer.body),
      ...answer.headers,
    });
    response.end(answer.body);
  };
}

/** Where the older protocol has another name. */
const QUERY_CODES: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  AccessDeniedException: 'AccessDenied',
};

/** The code that the SDK reads from this header for clients of the older protocol. */
function queryCodeOf({ code }: ServiceError): string {
  const name = code.split('#').at(-1) ?? code;
  return QUERY_CODES[name] ?? name;
}
