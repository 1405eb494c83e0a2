import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { createDeadLetters, createQueue, sendMessage } from '../../../functions/aws/queue.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { redactorOf } from '../../../lib/key/redaction.ts';
import { startAnswerLosingProxy } from './answer-losing-proxy.ts';
import { clientFor } from './test-clients.ts';

let server: Awaited<ReturnType<typeof startFauxqs>>;
let proxy: Awaited<ReturnType<typeof startAnswerLosingProxy>>;
let client: SQSClient;
beforeAll(async () => {
  server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  proxy = await startAnswerLosingProxy(`http://127.0.0.1:${server.port}`);
  client = new SQSClient(clientFor(proxy.url));
});
afterAll(async () => {
  client.destroy();
  await proxy.close();
  await server.stop();
});

/** Set right by an hour: times that are told go by it, whatever the machine shows. */
const CLOCK = { now: () => Date.now() - 3_600_000 };
const wakeUp = { v: 1, connection: 'demo', exportId: 'request-1', step: 3 } as const;

function newQueue(name: string) {
  server.createQueue(name, { region: 'eu-central-1' });
  const url = `http://127.0.0.1:${server.port}/000000000000/${name}`;
  const messages = () => server.inspectQueue(name)?.messages;
  return { url, messages };
}

test('sends a wake-up as JSON with its delay, by the clock that its time was told by', async () => {
  const { url, messages } = newQueue('plain');
  const queue = createQueue(client, url, CLOCK);

  await queue.send(wakeUp);
  await queue.send({ ...wakeUp, step: 4 }, CLOCK.now() + 60_000);

  expect(messages()?.ready.map(({ body }) => JSON.parse(body))).toEqual([wakeUp]);
  expect(messages()?.delayed.map(({ body }) => JSON.parse(body))).toEqual([{ ...wakeUp, step: 4 }]);
});

test.each([901, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'fails for a delay of %p s, which SQS would refuse and an emulator accepts',
  async (delaySeconds) => {
    const { url, messages } = newQueue(`delay-${delaySeconds}`);

    const message = { QueueUrl: url, MessageBody: '{}', DelaySeconds: delaySeconds };
    await expect(sendMessage(client, message)).rejects.toThrow(
      `delaySeconds: expected a whole number from 0 to 900, got ${delaySeconds}`,
    );

    expect(messages()).toMatchObject({ ready: [], delayed: [] });
  },
);

test('sends twice at worst when the answer is lost', async () => {
  const { url, messages } = newQueue('lost');
  proxy.loseNext();

  await createQueue(client, url, CLOCK).send(wakeUp);

  expect(messages()?.ready).toHaveLength(2);
});

test('says which call failed and why, without the message', async () => {
  const { url } = newQueue('there');
  const queue = createQueue(client, url.replace('there', 'gone'), CLOCK);

  const sending = queue.send({ ...wakeUp, connection: 'canary' });

  await expect(sending).rejects.toMatchObject({
    code: 'AWS_CALL_FAILED',
    operation: 'SQS SendMessage',
    message: expect.stringMatching(
      /^SQS SendMessage failed: QueueDoesNotExist .* deploy the stack again/,
    ),
  });
  await expect(sending).rejects.not.toThrow('canary');
});

test('adds a dead letter with its reason', async () => {
  const { url } = newQueue('dead');

  await createDeadLetters(client, url).add('not json', 'Not a wake-up.', 'message-1');

  const { Messages: messages } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: url, MessageAttributeNames: ['All'] }),
  );
  expect(messages).toMatchObject([
    {
      Body: 'not json',
      MessageAttributes: {
        Reason: { StringValue: 'Not a wake-up.' },
        OriginalMessageId: { StringValue: 'message-1' },
      },
    },
  ]);
});

test('keeps a dead letter for which no reason is told: SQS takes no attribute without a value', async () => {
  const { url, messages } = newQueue('without-reason');

  await createDeadLetters(client, url).add('not JSON', '', 'message-2');

  const [letter] = messages()?.ready ?? [];
  expect(Object(letter?.messageAttributes)['Reason']).toMatchObject({
    StringValue: 'No reason was told.',
  });
});

test('writes what SQS refuses as JSON does: an event that a person is to see must not be lost for it', async () => {
  const { url } = newQueue('dead-odd');
  const event = { list: 'a\uffffb\ufffe' };

  await createDeadLetters(client, url).add(
    JSON.stringify(event),
    'No list "\uffff".\0',
    'message-1',
  );

  const { Messages: messages } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: url, MessageAttributeNames: ['All'] }),
  );
  const [letter] = messages ?? [];
  expect(letter?.Body).toBe('{"list":"a\\uffffb\\ufffe"}');
  expect(JSON.parse(letter?.Body ?? '')).toEqual(event);
  expect(letter?.MessageAttributes?.['Reason']?.StringValue).toBe('No list "\\uffff".\\u0000');
});

test.each([
  ['its body', '{"v":2,"apiKey":"canary-key-0815"}', 'Not a wake-up.'],
  ['its body, escaped', '{"v":2,"apiKey":"canary\\u002dkey-0815"}', 'Not a wake-up.'],
  ['its reason', 'Not kept: the body of this message held a key.', 'Wrong: canary-key-0815.'],
])(
  'a dead letter does not show a key that the process knows in %s',
  async (_where, body, reason) => {
    const { url } = newQueue(`dead-${reason.length}-${body.length}`);
    const redact = redactorOf([ApiKey.from('canary-key-0815')]);

    await createDeadLetters(client, url, redact).add(body, reason, 'message-1');

    const { Messages: messages } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MessageAttributeNames: ['All'] }),
    );
    expect(messages?.[0]).toMatchObject({
      Body: 'Not kept: the body of this message held a key.',
      MessageAttributes: { Reason: { StringValue: expect.not.stringContaining('canary') } },
    });
  },
);
