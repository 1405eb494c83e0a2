import { expect, test } from '@jest/globals';
import {
  failedMessageIds,
  receivedMessages,
  sqsRecord,
} from '../../../../infra/local/lambda/sqs-event.ts';

const failures = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

test.each<[string, unknown, string[]]>([
  ['null', null, []],
  ['an empty object', {}, []],
  ['an empty list', failures(), []],
  ['a null list', { batchItemFailures: null }, []],
  ['one id', failures('b'), ['b']],
  ['one id twice', failures('b', 'b'), ['b']],
  ['an unknown id', failures('b', 'x'), ['a', 'b', 'c']],
  ['an empty id', failures(''), ['a', 'b', 'c']],
  ['a null id', failures(null), ['a', 'b', 'c']],
  ['items without an id', { batchItemFailures: [{}] }, ['a', 'b', 'c']],
  ['no list', { batchItemFailures: 'b' }, ['a', 'b', 'c']],
])('reads a report of %s', (_, response, failed) => {
  expect(failedMessageIds(JSON.stringify(response), ['a', 'b', 'c'])).toEqual(failed);
});

test('hands on what came with a message', () => {
  const told = { DataType: 'String', StringValue: '1700000000000' };
  const message = { MessageId: 'm', ReceiptHandle: 'r', Body: '{}' };
  const seal = { DataType: 'Binary', BinaryValue: 'AP+A' };
  const Messages = [{ ...message, MessageAttributes: { FirstSentMs: told, seal } }, message];
  const [one, other] = receivedMessages(JSON.stringify({ Messages })).map(sqsRecord);

  expect(one).toMatchObject({
    ...{ messageId: 'm', receiptHandle: 'r', body: '{}' },
    messageAttributes: {
      FirstSentMs: { dataType: 'String', stringValue: '1700000000000' },
      seal: { dataType: 'Binary', binaryValue: 'AP+A' },
    },
  });
  expect(other).toMatchObject({ messageAttributes: {}, attributes: {} });
});
