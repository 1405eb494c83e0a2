import { expect, test } from '@jest/globals';
import middy from '@middy/core';
import { eachMessage } from '../../../functions/middleware/each-message.ts';
import { invocationLog } from '../../../functions/middleware/invocation-log.ts';
import { queueMessages } from '../../../functions/middleware/queue-messages.ts';
import { lambdaContext } from './lambda-context.ts';
import { recordedLog } from './recorded-log.ts';

const fails = (...ids: string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

/** Bodies are `done`, `again`, `throw`, `useless`, or `poison`, which cannot be parsed. */
function chain(deadLettersDown = false) {
  const { log, records, lines } = recordedLog();
  const handled: string[] = [];
  const dead: unknown[] = [];
  const handler = middy()
    .use(invocationLog(log, (text) => text))
    .use(
      queueMessages<string>({
        parse: (body) =>
          body === 'poison'
            ? { kind: 'malformed', reason: 'It is poison.' }
            : { kind: 'value', value: body },
        deadLetters: {
          add: async (...letter) => {
            if (deadLettersDown) throw new Error('down');
            dead.push(letter);
          },
        },
      }),
    )
    .handler(
      eachMessage<string>(async (value) => {
        handled.push(value);
        if (value === 'throw') throw Object.assign(new Error('no'), { request: 'canary' });
        if (value === 'useless') return { deadLetterReason: 'It helps nobody.' };
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

test('lets a malformed message come back when the dead-letter queue cannot be reached', async () => {
  const { invoke, handled } = chain(true);

  expect(await invoke(eventOf('poison', 'done'))).toEqual(fails('m0'));
  expect(handled).toEqual(['done']);
});

test.each([{}, { Records: [{ body: 'done' }] }, null, { Records: [{ messageId: '', body: 'x' }] }])(
  'fails as a whole for what is no event of a queue: %j',
  async (event) => {
    const { invoke, handled } = chain();

    await expect(invoke(event)).rejects.toThrow();
    expect(handled).toEqual([]);
  },
);
