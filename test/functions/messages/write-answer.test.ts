import { expect, test } from '@jest/globals';
import { writeAnswer } from '../../../functions/messages/write-answer.ts';
import { reportWithout } from '../../../lib/writes/write-report.ts';

const name = { connection: 'acme', writeId: 'w-1' };

test('a write whose line is full comes back as often as it takes, and counts as no failure', () => {
  const report = reportWithout('retry', 'line-full', name, 'Ask again later.');
  expect(writeAnswer(report)).toEqual({ requeueAfterSeconds: 900 });
});

test.each([
  ['retry', 'overtaken', 'retry'],
  ['reject', 'invalid', { deadLetterReason: 'Why.' }],
  ['reject', 'key-in-request', { deadLetterReason: 'Why.', isBodyWithheld: true }],
] as const)('a write with the answer %s and the result %s', (answer, result, expected) => {
  expect(writeAnswer(reportWithout(answer, result, name, 'Why.'))).toEqual(expected);
});
