import {
  type AwsService,
  answerJson,
  isServiceError,
  readJsonBody,
  type ServiceError,
  targetActionOf,
} from './aws-call.ts';
import type { Queues } from './queues.ts';

/** Amazon SQS for the callers of the endpoint. */
export function sqsService(queues: Queues): AwsService {
  return async ({ caller, request, response }) => {
    const action = targetActionOf(request);
    const answer = await queues.call(caller, action, await readJsonBody(request));
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

/** The code that the SDK reads from this header for clients of the older protocol. */
function queryCodeOf({ code }: ServiceError): string {
  const name = code.split('#').at(-1) ?? code;
  return name === 'QueueDoesNotExist' ? 'AWS.SimpleQueueService.NonExistentQueue' : name;
}
