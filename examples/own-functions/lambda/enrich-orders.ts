import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  type ClientsContext,
  customersClients,
  eachMessage,
  queueChain,
} from 'customers-functions/lambda';

interface Order {
  readonly orderId: string;
  readonly connection: string;
  readonly customerId: string;
}

const sqs = new SQSClient({});

/** Takes orders from a queue, and puts them with their customer into the next one. */
export const handler = queueChain<Order>({
  parse: readOrder,
  queueUrl: process.env['ORDERS_QUEUE_URL'] ?? '',
  deadLetterQueueUrl: process.env['ORDERS_DEAD_LETTER_QUEUE_URL'] ?? '',
})
  .use(customersClients())
  .handler(
    eachMessage<Order, ClientsContext>(async (order, { customersOf, log }) => {
      const client = await customersOf(order.connection);
      const outcome = await client.read({ resource: `customers/${order.customerId}` });
      switch (outcome.kind) {
        case 'resource': {
          const body = `{"orderId":${JSON.stringify(order.orderId)},"customer":${outcome.bodyText}}`;
          const QueueUrl = process.env['ENRICHED_QUEUE_URL'];
          await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
          return 'acknowledge';
        }
        case 'blocked':
        case 'throttled':
          return { requeueAfterSeconds: outcome.retryAfterSeconds };
        default:
          log.warn('Order not enriched', { orderId: order.orderId, outcome: outcome.kind });
          return 'retry';
      }
    }),
  );

function readOrder(body: string) {
  try {
    const order: Partial<Record<keyof Order, unknown>> = JSON.parse(body);
    const { orderId, connection, customerId } = order;
    if (
      typeof orderId === 'string' &&
      typeof connection === 'string' &&
      typeof customerId === 'string' &&
      /^[\w-]{1,64}$/.test(customerId)
    ) {
      return { kind: 'value', value: { orderId, connection, customerId } } as const;
    }
  } catch {
    // No JSON: the reason below says what was expected.
  }
  const reason = 'Expected JSON with the texts orderId, connection and customerId.';
  return { kind: 'malformed', reason } as const;
}
