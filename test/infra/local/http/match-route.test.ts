import { expect, test } from '@jest/globals';
import { matchRoute } from '../../../../infra/local/http/match-route.ts';

const keys = ['GET /things/{id}', 'ANY /things/{id}', 'GET /things/new', 'POST /things'];
const routes = keys.map((routeKey) => {
  const [method = '', path = ''] = routeKey.split(' ');
  return { routeKey, method, path };
});

test.each<[string, string, string | undefined, object?]>([
  ['GET', '/things/7', 'GET /things/{id}', { id: '7' }],
  ['GET', '/things/new', 'GET /things/new', {}],
  ['DELETE', '/things/7', 'ANY /things/{id}', { id: '7' }],
  ['GET', '/things/a%2Fb', 'GET /things/{id}', { id: 'a/b' }],
  ['GET', '/things', undefined],
  ['GET', '/things/', undefined],
  ['GET', '/things/7/', undefined],
  ['GET', '/Things/7', undefined],
  ['POST', '/', undefined],
])('%s %s is taken by %s', (method, path, routeKey, ...[parameters]) => {
  const found = matchRoute(routes, method, path);
  if (routeKey === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject({ route: { routeKey }, parameters });
});

test('knows a parameter that cannot be decoded', () => {
  expect(matchRoute(routes, 'GET', '/things/%ff')).toBe('malformed');
});
