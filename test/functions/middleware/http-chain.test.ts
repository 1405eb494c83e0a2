import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { UnknownConnectionError } from '../../../functions/aws/known-connections.ts';
import { problem } from '../../../functions/http/checked-answers.ts';
import { httpChain } from '../../../functions/middleware/http-chain.ts';
import { UnreadableItemError } from '../../../lib/steps/unreadable-item.ts';
import { lambdaContext } from './lambda-context.ts';

const written = jest.spyOn(process.stdout, 'write');
beforeEach(() => {
  written.mockReset().mockReturnValue(true);
});
afterAll(() => {
  written.mockRestore();
});

const NO = problem('unknown-caller', 'This caller may not use the connection.');
const fails = async () => {
  throw new Error('of the handler');
};

/** What the runtime would do; problems of types are the caller's there. */
const call = (handler: unknown): Promise<unknown> =>
  Reflect.apply(Object(handler), undefined, [{}, lambdaContext()]);

const HEADERS = {
  'Strict-Transport-Security': expect.anything(),
  'X-Content-Type-Options': 'nosniff',
};

test.each([
  ['the handler', httpChain().handler(async () => NO)],
  [
    'a middleware before it',
    httpChain()
      .before(() => NO)
      .handler(fails),
  ],
  [
    'a middleware that takes its error',
    httpChain()
      .onError(() => NO)
      .handler(fails),
  ],
])(
  'a problem that comes from %s is answered with its status and the security headers',
  async (_, handler) => {
    const answer = Object(await call(handler));

    expect(answer).toMatchObject({
      statusCode: 403,
      headers: { ...HEADERS, 'Content-Type': 'application/problem+json' },
    });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'unknown-caller', detail: NO.detail });
    expect(answer).not.toHaveProperty('kind');
  },
);

test('a text that a handler returns is the body, as for API Gateway, and not logged', async () => {
  const returnsText = Object(async () => '{"id":1}');

  expect(await call(httpChain().handler(returnsText))).toMatchObject({
    statusCode: 200,
    body: '{"id":1}',
  });
  expect(written).not.toHaveBeenCalled();
});

const DAMAGED = new UnreadableItemError({ connection: 'demo', sort: 'gate' }, ['blockedUntilMs']);

test.each([
  ['what fails here', new Error('of the handler'), 500, 'internal'],
  ['an item that cannot be read', DAMAGED, 500, 'unreadable-item'],
  ['an unknown connection', new UnknownConnectionError(), 404, 'unknown-connection'],
])('the answer to %s has the security headers', async (_, error, statusCode, code) => {
  const handler = httpChain().handler(async () => {
    throw error;
  });

  const answer = Object(await call(handler));

  expect(answer).toMatchObject({ statusCode, headers: HEADERS });
  expect(JSON.parse(answer.body)).toMatchObject({ code });
});

test.each([
  ['an item that cannot be read is logged', DAMAGED, ['LEDGER_ITEM_UNREADABLE']],
  ['an unknown connection, which the caller named, is not', new UnknownConnectionError(), []],
])('%s', async (_, error, codes) => {
  const handler = httpChain().handler(async () => {
    throw error;
  });

  await call(handler);

  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines.map(({ errorCode }) => errorCode)).toEqual(codes);
});

test('whether a request that failed here may be repeated is for its handler to know, and not told', async () => {
  const { body } = Object(await call(httpChain().handler(fails)));

  expect(JSON.parse(body).detail).not.toMatch(/repeat|again/i);
});

test('a handler that returns nothing is logged, and answered as what failed here', async () => {
  const answer = Object(await call(httpChain().handler(Object(async () => {}))));

  expect(answer).toMatchObject({ statusCode: 500 });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'internal' });
  expect(written.mock.calls.join('')).toContain('The handler returned nothing');
});
