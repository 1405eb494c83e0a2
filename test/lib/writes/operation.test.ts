import { expect, test } from '@jest/globals';
import { operationsOf } from '../../../lib/writes/operation.ts';

const create = {
  name: 'create-customer',
  method: 'POST',
  resource: 'customers',
  acceptsIdempotencyKey: true,
};
const check = { kind: 'read', resource: 'customers/{params.id}', match: { email: '{body.email}' } };

test('reads operations with and without a check', () => {
  const list = { kind: 'list', resource: 'customers', match: { ref: '{writeId}' }, maxPages: 3 };
  const given = [
    create,
    { ...create, name: 'replace', method: 'PUT', resource: 'customers/{id}', check },
    { ...create, name: 'other', check: list },
  ];
  expect(operationsOf(given)).toEqual(given);
});

test.each([
  ['no list', {}, /^operations: expected a list, got an object$/],
  [
    'an unknown member',
    [{ ...create, key: true }],
    /^operations\[0\]\.key: there is no such setting$/,
  ],
  [
    'a missing member',
    [{ ...create, method: undefined }],
    /^operations\[0\]\.method: this setting is missing$/,
  ],
  [
    'GET',
    [{ ...create, method: 'GET' }],
    /^operations\[0\]\.method: expected POST, PUT, PATCH or DELETE$/,
  ],
  [
    'a resource with a query',
    [{ ...create, resource: 'customers?a=b' }],
    /resource: expected a resource such as/,
  ],
  [
    'a resource from the root',
    [{ ...create, resource: '/customers' }],
    /resource: expected a resource such as/,
  ],
  ['a name with a blank', [{ ...create, name: 'a b' }], /name: expected 1 to 64 letters/],
  [
    'the same name twice',
    [create, create],
    /^operations\[1\]\.name: "create-customer" is the name of an earlier/,
  ],
  [
    'a check without match',
    [{ ...create, check: { kind: 'read', resource: 'c' } }],
    /^operations\[0\]\.check: expected match/,
  ],
  [
    'a list without bound',
    [{ ...create, check: { ...check, kind: 'list' } }],
    /check\.maxPages: this setting is missing$/,
  ],
  [
    'a page of a list, which the check asks for by itself',
    [{ ...create, check: { ...check, kind: 'list', maxPages: 2, query: { page: '2' } } }],
    /check\.query\.page: page and per_page are sent by themselves/,
  ],
  [
    'a parameter whose name is no name',
    [{ ...create, check: { ...check, query: { 'a b': 'x' } } }],
    /check\.query\.a b: expected the name of a parameter/,
  ],
  [
    'an unknown placeholder',
    [{ ...create, check: { ...check, resource: 'c/{id}' } }],
    /check\.resource: expected placeholders such as/,
  ],
  [
    'a stray brace',
    [{ ...create, check: { ...check, match: { a: '{body.a' } } }],
    /check\.match\.a: expected placeholders/,
  ],
  [
    'a wrong value of a member that every object has',
    [{ ...create, check: { ...check, match: { constructor: '{body.a' } } }],
    /check\.match\.constructor: expected placeholders/,
  ],
  [
    'an empty match',
    [{ ...create, check: { ...check, match: {} } }],
    /check\.match: expected one member or more/,
  ],
])('names what is wrong with %s', (_, given, message) => {
  expect(() => operationsOf(given)).toThrow(message);
});
