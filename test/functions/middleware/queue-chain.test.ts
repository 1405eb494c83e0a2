import { expect, test } from '@jest/globals';
import { queueChain } from '../../../functions/middleware/queue-chain.ts';

const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012';
const parse = () => ({ kind: 'malformed', reason: 'never called' }) as const;

test.each(['arn:aws:sqs:eu-central-1:123456789012:orders', 'orders', 'https://', ''])(
  'takes no %p for the URL of a queue',
  (wrong) => {
    const [queueUrl, deadLetterQueueUrl] = [`${URL}/orders`, `${URL}/dead`];

    expect(() => queueChain({ parse, queueUrl: wrong, deadLetterQueueUrl })).toThrow(
      'queueUrl: expected the URL of a queue',
    );
    expect(() => queueChain({ parse, queueUrl, deadLetterQueueUrl: wrong })).toThrow(
      'deadLetterQueueUrl: expected the URL of a queue',
    );
  },
);

test('refuses the queue itself for its dead letters, which would come back for ever', () => {
  const queueUrl = `${URL}/orders`;

  expect(() => queueChain({ parse, queueUrl, deadLetterQueueUrl: queueUrl })).toThrow(
    'deadLetterQueueUrl: expected another queue',
  );
});
