import { expect, test } from '@jest/globals';
import { newWrite } from '../../../lib/writes/new-write.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { settingsWith } from './default-settings.ts';

const settings = settingsWith({
  operations: [
    { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
    { name: 'replace', method: 'PUT', resource: 'customers/{id}', acceptsIdempotencyKey: false },
  ],
});
const tokens = { writeToken: 'token', idempotencyKey: 'key' };

function make(own: Partial<RequestedWrite>) {
  const request = { v: 1, connection: 'acme', writeId: 'w', operation: 'create', ...own } as const;
  return newWrite(request, settings, tokens, 1_000);
}

test('makes a key only for operations that accept one', () => {
  expect(make({ bodyText: '{"a":1.0}' })).toMatchObject({
    kind: 'new',
    state: {
      status: 'intended',
      idempotencyKey: 'key',
      resource: 'customers',
      bodyText: '{"a":1.0}',
    },
  });
  const made = make({ operation: 'replace', params: { id: 'a' } });
  expect(made.kind === 'new' && made.state.idempotencyKey).toBeUndefined();
});

test.each([
  ['a/b', 'customers/a%2Fb'],
  ['a?b#c', 'customers/a%3Fb%23c'],
  ['é', 'customers/%C3%A9'],
  ['9007199254740993', 'customers/9007199254740993'],
])('puts %j into the resource as one segment', (id, resource) => {
  expect(make({ operation: 'replace', params: { id } })).toMatchObject({ state: { resource } });
});

test.each(['../../admin', 'a/../b', '..\\..\\admin', '..;/admin', './1', 'a/.'])(
  'refuses %j, by which a server that decodes slashes would leave the resource',
  (id) => {
    expect(make({ operation: 'replace', params: { id } })).toMatchObject({ kind: 'invalid' });
  },
);

test.each(['a..b/c', '...', '.a', 'a/..b', '1.'])('takes the dots of %j', (id) => {
  const resource = `customers/${encodeURIComponent(id)}`;
  expect(make({ operation: 'replace', params: { id } })).toMatchObject({ state: { resource } });
});

test.each([
  ['another operation', { operation: 'remove' }, 'operation', /Expected one of create, replace\./],
  ['no param', { operation: 'replace' }, 'params.id', /is missing; customers\/\{id\} needs it/],
  [
    'an empty param',
    { operation: 'replace', params: { id: '' } },
    'params.id',
    /expected 1 to 512/,
  ],
  ['half a character', { operation: 'replace', params: { id: '\ud800' } }, 'params.id', /Unicode/],
  [
    'the folder above',
    { operation: 'replace', params: { id: '..' } },
    'params',
    /not a resource path/,
  ],
  ['an unknown param', { params: { id: '1' } }, 'params.id', /has no such placeholder, only none/],
  [
    'a param that objects have by birth',
    { operation: 'replace', params: { id: '1', constructor: 'x' } },
    'params.constructor',
    /has no such placeholder, only id/,
  ],
  [
    'a param of the name __proto__',
    { operation: 'replace', params: JSON.parse('{"__proto__":"x","id":"1"}') },
    'params.__proto__',
    /has no such placeholder/,
  ],
  [
    'an unknown param that is no word',
    { params: { '<script>': '1' } },
    'params',
    /has no such placeholder/,
  ],
])('refuses %s, naming the place', (_, own, setting, message) => {
  const made = make(own);
  expect(made).toMatchObject({ kind: 'invalid', setting });
  expect(made.kind === 'invalid' ? made.message : '').toMatch(message);
});
