import { expect, test } from '@jest/globals';
import middy from '@middy/core';
import type { MessageAnswer } from '../../../functions/messages/message.ts';
import { eachMessage } from '../../../functions/middleware/each-message.ts';
import { invocationLog } from '../../../functions/middleware/invocation-log.ts';
import { type MessageResult, queueMessages } from '../../../functions/middleware/queue-messages.ts';
import { lambdaContext } from './lambda-context.ts';
import { recordedLog } from './recorded-log.ts';

const fails = (...ids: string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

/** Bodies are `done`, `again`, `throw`, `useless`, `poison`, which is malformed, or `canary`, at which `parse` throws. */
function chain(deadLettersDown = false) {
  const { log, records, lines } = recordedLog();
  const handled: string[] = [];
  const dead: unknown[] = [];
  const handler = middy()
    .use(invocationLog(log, (text) => text))
    .use(
      queueMessages<string>({
        parse: (body) => {
          if (body === 'canary') JSON.parse(body);
          return body === 'poison'
            ? { kind: 'malformed', reason: 'It is poison.' }
            : { kind: 'value', value: body };
        },
        deadLetters: {
          add: async (...letter) => {
            if (deadLettersDown) throw new Error('down');
            dead.push(letter);
          },
        },
        requeue: () => Promise.reject(new Error('requeues nothing')),
      }),
    )
    .handler(
      eachMessage<string>(async (value) => {
        handled.push(value);
        if (value === 'throw') throw Object.assign(new Error('no'), { request: 'canary' });
        if (value === 'useless') return { deadLetterReason: 'It helps nobody.' };
        if (value === 'later') return { requeueAfterSeconds: 9 };
        if (value === 'a key') return { deadLetterReason: 'A key.', isBodyWithheld: true };
        return value === 'again' ? 'retry' : 'acknowledge';
      }),
    );
  // The runtime hands over whatever came; the middleware checks it.
  const invoke = (event: unknown): Promise<unknown> =>
    Reflect.apply(handler, undefined, [event, lambdaContext()]);
  return { invoke, handled, dead, records, lines };
}

const eventOf = (...bodies: string[]) => ({
  Records: bodies.map((body, index) => ({ messageId: `m${index}`, body, attributes: {} })),
});

test.each([
  ['Records', { detail: {} }],
  ['Records.0.messageId', { Records: [{ body: 'done', attributes: {} }] }],
  ['event', 'done'],
])('says what it is to be behind when %s of an event is of no queue', async (place, event) => {
  const { invoke } = chain();
  await expect(invoke(event)).rejects.toThrow(
    `${place}: missing or wrong. Expected an event of a queue of SQS: let that invoke the function.`,
  );
});

test('acknowledges what was handled', async () => {
  const { invoke, handled } = chain();

  expect(await invoke(eventOf('done', 'done'))).toEqual(fails());
  expect(handled).toHaveLength(2);
});

test('lets a message come back without its neighbours', async () => {
  const { invoke, handled, records, lines } = chain();

  expect(await invoke(eventOf('done', 'again', 'throw', 'done'))).toEqual(fails('m1', 'm2'));

  expect(handled).toHaveLength(4);
  expect(records()).toMatchObject([
    { message: 'Message failed', messageId: 'm2', errorMessage: 'no' },
  ]);
  expect(lines.join()).not.toContain('canary');
});

test('puts a malformed message into the dead-letter queue with its reason and acknowledges it', async () => {
  const { invoke, handled, dead, records, lines } = chain();

  expect(await invoke(eventOf('done', 'poison', 'again'))).toEqual(fails('m2'));

  expect(dead).toEqual([['poison', 'It is poison.', 'm1']]);
  expect(handled).toEqual(['done', 'again']);
  expect(records()).toMatchObject([{ level: 'ERROR', messageId: 'm1', reason: 'It is poison.' }]);
  expect(lines.join()).not.toContain('"poison"');
});

test('puts a message that the handler gives up into the dead-letter queue, as it was received', async () => {
  const { invoke, handled, dead } = chain();

  expect(await invoke(eventOf('useless', 'done'))).toEqual(fails());
  expect(dead).toEqual([['useless', 'It helps nobody.', 'm0']]);
  expect(handled).toEqual(['useless', 'done']);

  const { invoke: invokeCutOff } = chain(true);
  expect(await invokeCutOff(eventOf('useless', 'done'))).toEqual(fails('m0'));
});

test('lets a message come back that is to wait, when its queue cannot be reached', async () => {
  const { invoke, dead, records } = chain();

  expect(await invoke(eventOf('later', 'done'))).toEqual(fails('m0'));
  expect(dead).toEqual([]);
  expect(records()).toMatchObject([{ message: 'Message not requeued', messageId: 'm0' }]);
});

test('puts a message aside without its body where that holds a key', async () => {
  const { invoke, dead } = chain();

  expect(await invoke(eventOf('a key'))).toEqual(fails());
  expect(dead).toEqual([['Not kept: the body of this message held a key.', 'A key.', 'm0']]);
});

test('lets a message alone come back at which parse throws, and quotes nothing of it', async () => {
  const { invoke, handled, lines, records } = chain();

  expect(await invoke(eventOf('canary', 'done'))).toEqual(fails('m0'));
  expect(handled).toEqual(['done']);
  expect(records()).toContainEqual(
    expect.objectContaining({
      message: 'Message not parsed',
      messageId: 'm0',
      errorName: 'SyntaxError',
    }),
  );
  expect(lines.join('')).not.toContain('canary');
});

test('lets a malformed message come back when the dead-letter queue cannot be reached', async () => {
  const { invoke, handled } = chain(true);

  expect(await invoke(eventOf('poison', 'done'))).toEqual(fails('m0'));
  expect(handled).toEqual(['done']);
});

/** A handler of a batch of `m0`, `m1` and `m2` that gives these results, in a chain that can requeue. */
async function handledAs(given: unknown) {
  const { log, records } = recordedLog();
  const requeued: string[] = [];
  const dead: string[] = [];
  const middleware = queueMessages<string>({
    parse: (value) => ({ kind: 'value', value }),
    deadLetters: { add: async (...[, , messageId]) => void dead.push(messageId) },
    requeue: async ({ messageId }) => {
      requeued.push(messageId);
      return 'sent';
    },
  });
  // What a handler in JavaScript gives is not checked by a compiler.
  const handler = middy()
    .use(invocationLog(log, (text) => text))
    .use(middleware)
    .handler((): Promise<MessageResult[]> => Promise.resolve(Object(given)));
  const answer = await Reflect.apply(handler, undefined, [eventOf('a', 'b', 'c'), lambdaContext()]);
  return { answer, records: records(), requeued, dead };
}

const LATER: MessageAnswer = { requeueAfterSeconds: 9 };
const USELESS: MessageAnswer = { deadLetterReason: 'It helps nobody.' };
const resultsOf = (...results: (readonly [string, MessageAnswer | undefined])[]) =>
  results.map(([messageId, answer]) => ({ messageId, answer }));

test.each([
  [[], ['m0', 'm1', 'm2']],
  [undefined, ['m0', 'm1', 'm2']],
  [{ batchItemFailures: [] }, ['m0', 'm1', 'm2']],
  [resultsOf(['m2', 'acknowledge']), ['m0', 'm1']],
  [resultsOf(['m0', 'acknowledge'], ['m1', undefined], ['m2', LATER]), ['m1']],
])('lets messages come back that the handler did not answer for: %j', async (given, failed) => {
  const { answer, records } = await handledAs(given);

  expect(answer).toEqual(fails(...failed));
  expect(records[0]).toMatchObject({ level: 'ERROR', missing: failed.length, unknown: 0 });
});

test.each([
  [resultsOf(['m0', 'acknowledge'], ['m1', LATER], ['m2', USELESS], ['m3', 'acknowledge'])],
  [resultsOf(['m0', 'acknowledge'], ['m0', LATER], ['m1', USELESS], ['m2', 'acknowledge'])],
  [resultsOf(['m1', USELESS], ['m2', LATER], ['m3', 'acknowledge'])],
])(
  'believes no answer of a handler that answers for other messages, or twice: %j',
  async (given) => {
    const { answer, records, requeued, dead } = await handledAs(given);

    expect(answer).toEqual(fails('m0', 'm1', 'm2'));
    expect([requeued, dead]).toEqual([[], []]);
    expect(records).toMatchObject([{ level: 'ERROR', unknown: 1 }]);
  },
);

test.each([{}, { Records: [{ body: 'done' }] }, null, { Records: [{ messageId: '', body: 'x' }] }])(
  'fails as a whole for what is no event of a queue: %j',
  async (event) => {
    const { invoke, handled } = chain();

    await expect(invoke(event)).rejects.toThrow();
    expect(handled).toEqual([]);
  },
);

test('a message that was requeued for too long goes to the dead-letter queue with the reason', async () => {
  const { log } = recordedLog();
  const dead: unknown[] = [];
  const handler = middy()
    .use(invocationLog(log, (text) => text))
    .use(
      queueMessages<string>({
        parse: (value) => ({ kind: 'value', value }),
        deadLetters: { add: async (...letter) => void dead.push(letter) },
        requeue: async () => ({ givenUp: 'Sent 601 s ago.' }),
      }),
    )
    .handler(eachMessage<string>(async () => LATER));

  const answer = await Reflect.apply(handler, undefined, [eventOf('a'), lambdaContext()]);
  expect(answer).toEqual(fails());
  expect(dead).toEqual([['a', 'Sent 601 s ago.', 'm0']]);
});
