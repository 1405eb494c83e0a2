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
  };
}
