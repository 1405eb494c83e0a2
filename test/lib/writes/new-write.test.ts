import { expect, test } from '@jest/globals';
import { newWrite } from '../../../lib/writes/new-write.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { writeSettingsOf } from '../../../lib/writes/write-settings.ts';

const settings = writeSettingsOf({
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
  expect(make({ body: { a: 1 } })).toMatchObject({
    kind: 'new',
    state: {
      status: 'intended',
      idempotencyKey: 'key',
      resource: 'customers',
      bodyText: '{"a":1}',
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

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

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
  [
    'a number with lost digits',
    { body: JSON.parse('[9007199254740993]') },
    'body',
    /Give it as text/,
  ],
  ['a number that JSON has not', { body: { id: JSON.parse('1e999') } }, 'body', /Give it as text/],
  ['a deep body', { body: nested(101) }, 'body', /nested deeper than 100/],
  [
    'a large body',
    { body: 'x'.repeat(256 * 1024) },
    'body',
    /262146 bytes of JSON\. Expected 262144/,
  ],
])('refuses %s, naming the place', (_, own, setting, message) => {
  const made = make(own);
  expect(made).toMatchObject({ kind: 'invalid', setting });
  expect(made.kind === 'invalid' ? made.message : '').toMatch(message);
});

test('takes a body as deep and as large as it may be', () => {
  expect(make({ body: nested(100) }).kind).toBe('new');
  expect(make({ body: 'x'.repeat(256 * 1024 - 2) }).kind).toBe('new');
});
