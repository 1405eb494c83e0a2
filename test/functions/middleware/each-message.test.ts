import { expect, test } from '@jest/globals';
import { eachMessage } from '../../../functions/middleware/each-message.ts';
import { SettingError } from '../../../lib/errors.ts';
import { lambdaContext } from './lambda-context.ts';
import { recordedLog } from './recorded-log.ts';

/** What becomes of one message that a handler, perhaps in JavaScript, answers so. */
async function answerTo(given: unknown) {
  const { log, records } = recordedLog();
  const handler = Reflect.apply(eachMessage, undefined, [async () => given]);
  const batch = { messages: [{ messageId: 'm0', value: 'any' }] };
  const [result] = await handler(batch, { ...lambdaContext(), log });
  return { answer: result?.answer, logged: records().map((line) => Object(line).message) };
}

test.each([
  'acknowledge',
  'retry',
  { requeueAfterSeconds: 0 },
  { deadLetterReason: 'No.' },
  { deadLetterReason: 'No.', isBodyWithheld: true },
])('a message is answered as its handler says: %j', async (given) => {
  expect(await answerTo(given)).toEqual({ answer: given, logged: [] });
});

test.each([
  undefined,
  null,
  true,
  'acknowledged',
  {},
  { requeueAfterSeconds: -1 },
  { requeueAfterSeconds: '9' },
  { deadLetterReason: 'No.', isBodyWithheld: false },
])('a message comes back whose handler answers %j, and the log says so', async (given) => {
  expect(await answerTo(given)).toEqual({ answer: 'retry', logged: ['Message failed'] });
});

test('a handler is a function', () => {
  const make = () => Reflect.apply(eachMessage, undefined, ['handle']);

  expect(make).toThrow(SettingError);
});
