import { expect, jest, test } from '@jest/globals';
import type { MessageAnswer } from '../../../functions/messages/message.ts';
import { eachMessage } from '../../../functions/middleware/each-message.ts';
import { eventChain } from '../../../functions/middleware/event-chain.ts';
import { SettingError } from '../../../lib/errors.ts';
import { lambdaContext } from './lambda-context.ts';

/** Invokes a handler as Lambda does for EventBridge: what it throws makes Lambda repeat. */
async function invoke(event: unknown, handle: () => Promise<MessageAnswer>) {
  const lines: string[] = [];
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  const seen: unknown[] = [];
  const handler = eventChain<string>({
    parse: (given) =>
      typeof given === 'string'
        ? { kind: 'value', value: given }
        : { kind: 'malformed', reason: 'Expected a text.' },
  }).handler(
    eachMessage<string>((value) => {
      seen.push(value);
      return handle();
    }),
  );
  try {
    const result: unknown = await Reflect.apply(handler, undefined, [event, lambdaContext()]);
    return { seen, result, lines };
  } catch (error) {
    return { seen, error, lines };
  } finally {
    output.mockRestore();
  }
}

test('an event that is acknowledged ends well', async () => {
  const { seen, result, error } = await invoke('e', async () => 'acknowledge');

  expect([seen, result, error]).toEqual([['e'], null, undefined]);
});

test.each<[unknown, MessageAnswer, string]>([
  ['e', 'retry', 'The handler did not handle the event.'],
  ['e', { deadLetterReason: 'It helps nobody.' }, 'It helps nobody.'],
  ['e', { requeueAfterSeconds: 60 }, 'asked to wait 60 s, and nothing but a queue can'],
  [7, 'acknowledge', 'Expected a text.'],
])('event %p with answer %j fails the invocation, and says why', async (event, answer, reason) => {
  const { error, lines } = await invoke(event, async () => answer);

  expect(error).toMatchObject({ name: 'EventNotHandledError' });
  expect(error).toMatchObject({ message: expect.stringContaining(reason) });
  expect(lines.join('')).toContain('EVENT_NOT_HANDLED');
});

test('an error fails the invocation, and nothing of it is shown but name and message', async () => {
  const { error, lines } = await invoke('e', () =>
    Promise.reject(Object.assign(new Error('no'), { request: 'canary' })),
  );

  expect(error).toMatchObject({ name: 'EventNotHandledError' });
  expect(lines.join('')).toContain('"errorMessage":"no"');
  expect(lines.join('') + JSON.stringify(error)).not.toContain('canary');
});

test('names the option that is wrong', () => {
  expect(() => Reflect.apply(eventChain, undefined, [{}])).toThrow(SettingError);
  expect(() => Reflect.apply(eventChain, undefined, [{ parse: 1 }])).toThrow('parse: ');
});
