import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from '@jest/globals';
import { createQueue } from '../../../functions/aws/queue.ts';
import { createRequeue, type ReceivedMessage } from '../../../functions/aws/requeue.ts';
import { startJsonService } from './json-service.ts';
import { clientFor } from './test-clients.ts';

const NOW = 1_800_000_000_000;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function requeued(message: Partial<ReceivedMessage>, afterSeconds: number) {
  const service = await startJsonService(() => ({ ok: { MessageId: 'm' } }));
  const client = new SQSClient({ ...clientFor(service.url), md5: false });
  closing.push(service.close, async () => client.destroy());
  const options = { client, queueUrl: `${service.url}/queue`, maxRequeueSeconds: 600 };
  const requeue = createRequeue({ ...options, clock: { now: () => NOW } });
  const result = await requeue({ messageId: 'a', body: '{"id":1}', ...message }, afterSeconds);
  return { result, sent: service.calls.map(({ input }) => input) };
}

test('sends a message again as it came, after a time that is rounded up', async () => {
  const { sent } = await requeued(
    {
      attributes: { MessageGroupId: 'acme', SentTimestamp: `${NOW - 1_000}` },
      messageAttributes: { Trace: { dataType: 'String', stringValue: 't-1' } },
    },
    2.1,
  );
  expect(sent).toMatchObject([
    {
      ...{ MessageBody: '{"id":1}', DelaySeconds: 3, MessageGroupId: 'acme' },
      MessageAttributes: {
        Trace: { DataType: 'String', StringValue: 't-1' },
        FirstSentMs: { DataType: 'Number', StringValue: `${NOW - 1_000}` },
      },
    },
  ]);
});

test.each([
  [9, [], 'sent', 1],
  [9, ['FirstSentMs'], 'sent', 1],
  [10, [], { givenUp: expect.stringMatching(/^It has 10 attributes.* 9 at most/) }, 0],
])(
  'a message with %i attributes and %j is sent again with one more, or given up as SQS takes ten',
  async (...row) => {
    const [count, more, expected, sentCount] = row;
    const names = [...Array.from({ length: count }, (_, each) => `A${each}`), ...more];
    const attribute = { dataType: 'Number', stringValue: `${NOW}` };
    const messageAttributes = Object.fromEntries(names.map((name) => [name, attribute]));
    const { result, sent } = await requeued({ messageAttributes }, 5);
    expect(result).toEqual(expected);
    expect(sent).toHaveLength(sentCount);
    for (const { MessageAttributes } of sent)
      expect(Object.keys(MessageAttributes ?? {})).toHaveLength(10);
  },
);

test('keeps the bytes of a binary attribute', async () => {
  const binaryValue = Buffer.from([0, 255, 128]).toString('base64');
  const { sent } = await requeued(
    { messageAttributes: { Seal: { dataType: 'Binary.sha', binaryValue } } },
    5,
  );
  expect(sent).toMatchObject([
    { MessageAttributes: { Seal: { DataType: 'Binary.sha', BinaryValue: binaryValue } } },
  ]);
});

test.each([
  [600, 'sent', 1],
  [601, { givenUp: expect.stringContaining('Sent 601 s ago') }, 0],
])('a message that was sent first %i s ago is sent again, or is too old', async (...row) => {
  const [ageSeconds, expected, count] = row;
  const FirstSentMs = { dataType: 'Number', stringValue: `${NOW - ageSeconds * 1000}` };
  const { result, sent } = await requeued({ messageAttributes: { FirstSentMs } }, 5);
  expect(result).toEqual(expected);
  expect(sent).toHaveLength(count);
});

test('a message is as old as SQS says, whatever it says of itself', async () => {
  const attributes = { SentTimestamp: `${NOW - 601_000}` };
  for (const stringValue of [`${NOW + 1e9}`, `${NOW}`, '-1', 'soon']) {
    const FirstSentMs = { dataType: 'Number', stringValue };
    const { result } = await requeued({ attributes, messageAttributes: { FirstSentMs } }, 5);
    expect([stringValue, result]).toEqual([stringValue, { givenUp: expect.any(String) }]);
  }
});

test('a message that says that it comes from the future is as old as its first delivery', async () => {
  const FirstSentMs = { dataType: 'Number', stringValue: `${NOW + 1e9}` };
  const { sent } = await requeued({ messageAttributes: { FirstSentMs } }, 5);
  expect(sent).toMatchObject([{ MessageAttributes: { FirstSentMs: { StringValue: `${NOW}` } } }]);
});

test('messages of one connection form a group, so that others do not wait for them', async () => {
  const service = await startJsonService(() => ({ ok: { MessageId: 'm' } }));
  const client = new SQSClient({ ...clientFor(service.url), md5: false });
  closing.push(service.close, async () => client.destroy());
  const queue = createQueue(client, `${service.url}/queue`, { now: () => NOW });
  await queue.send({ v: 1, connection: 'acme' });
  await queue.send({ v: 1 });
  expect(service.calls.map(({ input }) => input['MessageGroupId'])).toEqual(['acme', undefined]);
});
