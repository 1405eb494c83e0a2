import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import type { ConnectionTable } from '../../../functions/services/connection-settings.ts';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';
import { checkedConnectionTable } from '../../../infra/settings/connection-table.ts';

const baseUrl = 'https://api.example.com';

test('takes a table whose connections the functions can read', () => {
  const table = { defaults: { baseUrl }, connections: { one: {}, two: { perPage: 10 } } };

  expect(() => checkedConnectionTable(table)).not.toThrow();
});

test.each([
  [
    { defaults: {}, connections: { one: {} } },
    'connectionTable.defaults.baseUrl: expected the address before /2.0/, got nothing',
  ],
  [
    { defaults: { baseUrl, perPage: 0 }, connections: { one: {} } },
    'connectionTable.defaults.perPage: expected a whole number from 1 to 10000, got 0',
  ],
  [
    { defaults: { baseUrl }, connections: { one: {}, two: { perPage: 0 } } },
    'connectionTable.connections.two.perPage: expected a whole number from 1 to 10000, got 0',
  ],
  [
    { defaults: { baseUrl }, connections: { One: {} } },
    'connectionTable.connections.One: expected 1 to 63 small letters',
  ],
  [
    {
      defaults: { baseUrl, lists: { invoices: {} } },
      connections: { one: { lists: { invoices: { perPage: 0 } } } },
    },
    'connectionTable.connections.one.lists.invoices.perPage: expected a whole number from 1 to 10000, got 0',
  ],
  [
    {
      defaults: { baseUrl, lists: { invoices: { idKey: '' } } },
      connections: { one: { lists: { invoices: {} } } },
    },
    'connectionTable.defaults.lists.invoices.idKey: expected a member name',
  ],
  [
    {
      defaults: { baseUrl, lists: { invoices: {} } },
      connections: { one: { lists: { invoces: false } } },
    },
    'connectionTable.connections.one.lists.invoces: false leaves out a list',
  ],
  [
    {
      defaults: { baseUrl, perPage: 0, lists: { customers: false } },
      connections: { one: { lists: {} } },
    },
    'connectionTable.defaults.perPage: expected a whole number',
  ],
] satisfies readonly [ConnectionTable, string][])(
  'fails naming the place in %j',
  (table, message) => {
    expect(() => checkedConnectionTable(table)).toThrow(message);
  },
);

test.each([
  [undefined, 'connectionTable: expected an object, got nothing'],
  [
    { defaults: { perPage: 'canary' }, connections: {} },
    'connectionTable.defaults.perPage: expected a number, got text',
  ],
  [
    { defaults: { perpage: 1 }, connections: {} },
    'connectionTable.defaults.perpage: there is no such setting',
  ],
  [
    { defaults: { operations: ['canary'] }, connections: {} },
    'connectionTable.defaults.operations[0]: expected an operation, got text',
  ],
  [
    { defaults: { operations: [{ name: 'create' }] }, connections: {} },
    'connectionTable.defaults.operations[0].method: this setting is missing',
  ],
])('fails without the value on what is no table: %j', (table, message) => {
  const error = expect.objectContaining({ name: 'SettingError', message });

  expect(() => Reflect.apply(checkedConnectionTable, undefined, [table])).toThrow(error);
});

test('a construct in an own stack fails when it is made, not when it is deployed', () => {
  const connectionTable = { defaults: { baseUrl }, connections: { one: { perPage: 0 } } };
  const make = () =>
    new CustomersIntegration(new Stack(new App(), 'Mine'), 'Customers', { connectionTable });

  expect(make).toThrow('connectionTable.connections.one.perPage');
});
