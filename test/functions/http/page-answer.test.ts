import { expect, test } from '@jest/globals';
import { MAX_ANSWER_BYTES, pageAnswer } from '../../../functions/http/page-answer.ts';
import { pageOf } from '../../lib/customers-api/walks/moving-list.ts';

test.each([
  ['fits as it is', 'x', 5, 200],
  ['takes more with its quotes, which Lambda escapes', '"', 2, 'page-too-large'],
])('a page that %s', (_title, character, megabytes, expected) => {
  const name = character.repeat(megabytes * 1024 * 1024);
  const answer = pageAnswer(
    pageOf([`{"id":1,"name":${JSON.stringify(name)}}`], 1, {}),
    'customers',
  );
  expect('code' in answer ? answer.code : answer.statusCode).toBe(expected);
  expect(name.length).toBeLessThan(MAX_ANSWER_BYTES);
});
