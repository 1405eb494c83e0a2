import {
  type ChangeEvent,
  customersClient,
  customersClients,
  eachChange,
  httpChain,
  parseChangeEvent,
  queueChain,
} from 'customers-functions/lambda';

export const read = httpChain()
  .use(customersClient({ connection: 'demo' }))
  .handler(async () => ({ statusCode: 204, headers: {}, body: '' }));

const queueUrl = 'https://sqs.example.com/changes';
export const follow = queueChain({ parse: parseChangeEvent, queueUrl, deadLetterQueueUrl: `${queueUrl}-dead` })
  .use(customersClients())
  .handler(eachChange({ store: 'none' }, async () => 'acknowledge'));

export const ifAdded = (change: ChangeEvent) => (change.kind === 'added' ? change : undefined);
