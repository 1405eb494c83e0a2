import type { ServiceError } from '../../endpoint/aws-call.ts';
import type { JsonService } from '../../endpoint/json-service.ts';
import type { AccountPlace } from '../../template/place.ts';
import { type Queues, queueNameIn } from './queues.ts';

// What a stack's queues are is decided by its template, so none is made or changed by a call.
const ACTIONS = new Set([
  'SendMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'GetQueueAttributes',
  'PurgeQueue',
]);

export function sqsService(queues: Queues, { region, accountId }: AccountPlace): JsonService {
  return {
    actions: ACTIONS,
    requests(action, parameters) {
      const name = queueNameIn(parameters);
      return [
        {
          action: `sqs:${action}`,
          resource: name === undefined ? '*' : `arn:aws:sqs:${region}:${accountId}:${name}`,
        },
      ];
    },
    answer: queues.call,
    deniedStatus: 403,
    errorHeaders: (error) => ({ 'x-amzn-query-error': `${queryCodeOf(error)};Sender` }),
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
