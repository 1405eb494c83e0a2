import { expect, test } from '@jest/globals';
import { jsonAnswer } from '../../../functions/http/answer.ts';
import { ROUTES } from '../../../functions/http/routes.ts';
import { routesOf, serveRoutes } from '../../../functions/http/serve-routes.ts';
import { lambdaContext } from '../middleware/lambda-context.ts';

const LIST = { method: 'GET', path: '/connections/{connection}/exports' };
const SHOW = { method: 'GET', path: '/connections/{connection}/exports/{exportId}' };
const CANCEL = { method: 'POST', path: '/connections/{connection}/exports/{exportId}' };

/** A handler of these routes, and what they were called with. */
function served() {
  const calls: object[] = [];
  const routes = [LIST, SHOW, CANCEL].map(({ method, path }) => ({
    method,
    path,
    handler: async (event: unknown) => {
      calls.push({ method, path, event });
      return jsonAnswer(200, {});
    },
  }));
  const handler = serveRoutes(routes);
  const ask = (method: string, path: string, more: object = {}) =>
    handler(
      { rawPath: path, requestContext: { http: { method, path } }, ...more },
      lambdaContext(),
    );
  return { ask, calls, handler };
}

test.each([
  ['GET', '/connections/acme/exports', LIST, { connection: 'acme' }],
  ['GET', '/connections/acme/exports/e-1', SHOW, { connection: 'acme', exportId: 'e-1' }],
  ['GET', '/connections/acme/exports/e%2D1', SHOW, { connection: 'acme', exportId: 'e%2D1' }],
  ['POST', '/connections/acme/exports/e-1', CANCEL, { connection: 'acme', exportId: 'e-1' }],
])('calls the route of %s %s with what its path says', async (method, path, route, parameters) => {
  const { ask, calls } = served();

  await ask(method, path, { body: '{}' });

  expect(calls).toEqual([
    { ...route, event: expect.objectContaining({ pathParameters: parameters, body: '{}' }) },
  ]);
});

test('serves the path behind what a custom domain maps to the API, and no longer one that ends like a route', async () => {
  const { ask, calls } = served();
  const path = '/mapped/connections/acme/exports';

  await ask('GET', '/connections/acme/exports', {
    requestContext: { http: { method: 'GET', path } },
  });
  expect(calls).toMatchObject([{ ...LIST, event: { pathParameters: { connection: 'acme' } } }]);
  expect(await ask('GET', path, { routeKey: `ANY ${LIST.path}` })).toMatchObject({
    code: 'unknown-route',
  });
  expect(calls).toHaveLength(1);
});

test('the path is not decoded once more, and counts before the parameters that come with it', async () => {
  const { ask, calls } = served();

  await ask('GET', '/connections/%61cme/exports', {
    pathParameters: { connection: 'acme', x: '1' },
  });

  expect(calls).toMatchObject([{ event: { pathParameters: { connection: '%61cme' } } }]);
});

test.each([
  ['GET', '/connections//exports'],
  // API Gateway has no route for it either.
  ['GET', '/connections/acme/exports/'],
  ['GET', '/connections/acme/exports/e-1/more'],
  ['GET', '/connections/acme/Exports'],
  ['GET', '/'],
  ['GET', ''],
])('calls no route for %s %j', async (method, path) => {
  const { ask, calls } = served();

  expect(await ask(method, path)).toMatchObject({ kind: 'problem', code: 'unknown-route' });
  expect(calls).toEqual([]);
});

test('calls no other route than the one that API Gateway has authorized, whatever slash it has decoded', async () => {
  const { ask, calls } = served();
  const sentAs = (routeKey: string) =>
    ask('GET', '/connections/acme/exports/exports', { routeKey, pathParameters: {} });

  // As /connections/acme%2Fexports/exports.
  expect(await sentAs(`GET ${LIST.path}`)).toMatchObject({ code: 'unknown-route' });
  expect(calls).toEqual([]);
  await sentAs(`ANY ${SHOW.path}`);
  expect(calls).toMatchObject([SHOW]);
});

test.each(['PUT', 'get', 'constructor'])('names the methods of a path for %s', async (method) => {
  const { ask, calls } = served();

  expect(await ask(method, '/connections/acme/exports/e-1')).toMatchObject({
    code: 'method-not-allowed',
    headers: { Allow: 'GET, POST' },
  });
  expect(calls).toEqual([]);
});

test('an event of something else is an error that names what is missing', async () => {
  const { handler } = served();

  await expect(handler({ httpMethod: 'GET', path: LIST.path }, lambdaContext())).rejects.toThrow(
    'rawPath',
  );
});

test('hands on no reason with a key that was read, also of a connection that does not open', async () => {
  const reasons: string[] = [];
  const routeOf = routesOf({
    isKnown: async () => true,
    settingsOf: () => undefined,
    connections: {
      open: async () => ({ kind: 'no-key', reason: 'in-use', message: 'Another one has it.' }),
    },
    holdsKey: (text) => text.includes('KE-Y'),
  });
  const route = routeOf(
    ROUTES.openGate,
    async ({ input }) => {
      reasons.push(input.body.reason);
      return jsonAnswer(200, {});
    },
    {},
  );
  const ask = (reason: string) =>
    serveRoutes([route])(
      {
        version: '2.0',
        rawPath: '/connections/acme/gate/opening',
        requestContext: { http: { method: 'POST' }, authorizer: { iam: { userArn: 'arn:x' } } },
        body: JSON.stringify({ reason }),
      },
      lambdaContext(),
    );

  expect(await ask('leaked KE-Y')).toMatchObject({ code: 'key-in-request' });
  expect(await ask('fine')).toMatchObject({ statusCode: 200 });
  expect(reasons).toEqual(['fine']);
});
