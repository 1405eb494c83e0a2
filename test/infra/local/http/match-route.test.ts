import { expect, test } from '@jest/globals';
import { matchRoute } from '../../../../infra/local/http/match-route.ts';

const keys = [
  'GET /things/{id}',
  'ANY /things/{id}',
  'GET /things/new',
  'GET /files/{path+}',
  'POST /things',
];
const routes = keys.map((routeKey) => {
  const [method = '', path = ''] = routeKey.split(' ');
  return { routeKey, method, path };
});
const fallback = { routeKey: '$default', method: 'ANY', path: '$default' };

test.each<[string, string, string | undefined, object?]>([
  ['GET', '/things/7', 'GET /things/{id}', { id: '7' }],
  ['GET', '/things/new', 'GET /things/new', {}],
  ['DELETE', '/things/7', 'ANY /things/{id}', { id: '7' }],
  ['GET', '/things/a%2Fb', 'GET /things/{id}', { id: 'a/b' }],
  ['GET', '/files/a/b%20c', 'GET /files/{path+}', { path: 'a/b c' }],
  ['GET', '/things', undefined],
  ['GET', '/things/', undefined],
  ['GET', '/things/7/', undefined],
  ['GET', '/Things/7', undefined],
  ['POST', '/', undefined],
])('%s %s is taken by %s', (method, path, routeKey, ...[parameters]) => {
  const found = matchRoute(routes, method, path);
  if (routeKey === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject({ route: { routeKey }, parameters });
  const withDefault = matchRoute([fallback, ...routes], method, path);
  expect(withDefault).toMatchObject({ route: { routeKey: routeKey ?? '$default' } });
});

test('knows a parameter that cannot be decoded', () => {
  expect(matchRoute(routes, 'GET', '/things/%ff')).toBe('malformed');
});
