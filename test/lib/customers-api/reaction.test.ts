import { expect, test } from '@jest/globals';
import {
  errorOutline,
  factsOf,
  reactionTo,
  withFacts,
} from '../../../lib/customers-api/reaction.ts';
import type { ThrottleWait } from '../../../lib/customers-api/throttle-wait.ts';

const CONTEXT = { authenticationStatuses: [403], guesses: 0, random: 0.5 };
const ASKED: ThrottleWait = { retryAfterSeconds: 9, waitSource: 'retry-after' };
const WINDOW: ThrottleWait = { retryAfterSeconds: 9, waitSource: 'rate-limit-reset' };
const UNREAD: ThrottleWait = { retryAfterSeconds: 60, waitSource: 'backoff' };
const GUESSED: ThrottleWait = { retryAfterSeconds: 1, waitSource: 'backoff' };

test.each([
  [200, undefined, undefined],
  [299, ASKED, undefined],
  [300, undefined, { kind: 'refused', reason: 'redirect' }],
  [304, undefined, { kind: 'unavailable', message: expect.stringContaining('A cache') }],
  [304, ASKED, { kind: 'throttled', ...ASKED }],
  [307, WINDOW, { kind: 'refused', reason: 'redirect' }],
  [400, undefined, { kind: 'refused', reason: 'client-error' }],
  [404, WINDOW, { kind: 'refused', reason: 'client-error' }],
  [499, undefined, { kind: 'refused', reason: 'client-error' }],
  [408, undefined, { kind: 'unavailable', reason: 'server-error' }],
  [500, WINDOW, { kind: 'unavailable', reason: 'server-error' }],
  // A Retry-After alone makes a throttle of any other answer than a page.
  [302, ASKED, { kind: 'throttled', ...ASKED }],
  [403, ASKED, { kind: 'throttled', ...ASKED }],
  [422, ASKED, { kind: 'throttled', ...ASKED }],
  [503, ASKED, { kind: 'throttled', ...ASKED }],
  [429, ASKED, { kind: 'throttled', ...ASKED }],
  [429, WINDOW, { kind: 'throttled', ...WINDOW }],
  [429, undefined, { kind: 'throttled', ...GUESSED }],
  // Most answers of APIs with windows say when theirs ends, a rejected key too.
  [403, WINDOW, { kind: 'authentication-failure' }],
  // A Retry-After that cannot be read.
  [403, UNREAD, { kind: 'throttled', ...UNREAD }],
  [503, UNREAD, { kind: 'throttled', ...UNREAD }],
  [429, UNREAD, { kind: 'throttled', ...UNREAD }],
  [401, UNREAD, { kind: 'authentication-failure' }],
  [200, UNREAD, undefined],
  [401, undefined, { kind: 'authentication-failure' }],
  [401, ASKED, { kind: 'authentication-failure' }],
])('status %i with the wait %j asks for %j', (status, wait, reaction) => {
  const found = reactionTo(status, wait, CONTEXT);
  if (reaction === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject({ ...reaction, status });
});

/** What is told of a status with this body. */
function told(body: string) {
  const received = { bytes: Buffer.from(body), release: () => {} };
  const answer = { kind: 'answer', status: 404, headers: new Headers(), body: received } as const;
  const reaction = reactionTo(404, undefined, CONTEXT);
  if (reaction === undefined) throw new Error('expected a refusal');
  const errorBody = errorOutline(answer);
  return withFacts(
    reaction,
    factsOf(answer, () => false, errorBody),
    errorBody,
  );
}

test.each([
  ['{"error":{"code":"not_found"}}', true],
  ['\ufeff{"message":"There is none."}', true],
  ['{"message":"cut', true],
  ['<html>Not found</html>', false],
  ['', false],
])('whether the API itself refused shows in the body: %s', (body, hasErrorBody) => {
  expect(told(body)).toMatchObject({ kind: 'refused', hasErrorBody });
});

test('the code of an error is told', () => {
  expect(told('\ufeff{"error":{"code":"gone"}}')).toMatchObject({
    ...{ apiCode: 'gone', message: expect.stringContaining('status 404 and code gone') },
  });
});

test.each([
  ['x-request-id', 'a'.repeat(128), 'a'.repeat(128)],
  ['request-id', 'req_1', 'req_1'],
  ['x-correlation-id', 'Root=1-67891233', 'Root=1-67891233'],
  ['x-request-id', 'a'.repeat(129), undefined],
  ['x-request-id', 'two words', undefined],
  ['x-request-id', 'the-key', undefined],
])('the id of a request in %s is told where it is short and plain: %s', (name, id, requestId) => {
  const head = { status: 200, headers: new Headers({ [name]: id }) };
  const facts = factsOf(head, (text) => text.includes('the-key'), undefined);
  expect(facts).toEqual(requestId === undefined ? { status: 200 } : { status: 200, requestId });
});

test('a body gives its memory to the next answer once its error was read', () => {
  let released = 0;
  const body = { bytes: Buffer.from('{}'), release: () => void released++ };
  errorOutline({ kind: 'answer', status: 500, headers: new Headers(), body });
  expect(released).toBe(1);
});
