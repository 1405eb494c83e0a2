import { expect, test } from '@jest/globals';
import { connectionSettingsOf } from '../../../functions/services/connection-settings.ts';
import { readConnectionTable, readVariable } from '../../../functions/services/environment.ts';
import { DEFAULT_LIST_SETTINGS } from '../../../lib/exports/list-settings.ts';

test('reads a variable', () => {
  expect(readVariable('ledgerTable', { LEDGER_TABLE: 'table' })).toBe('table');
});

test.each([{}, { LEDGER_TABLE: '' }])(
  'fails naming the variable that is not set: %j',
  (variables) => {
    expect(() => readVariable('ledgerTable', variables)).toThrow(
      /^LEDGER_TABLE: expected the environment variable that the stack sets, got nothing\./,
    );
  },
);

test.each([
  ['{', '', 'expected JSON. Deploy'],
  ['[]', '', 'expected an object, not a list'],
  ['{}', '.defaults', 'this setting is missing. Deploy'],
  [
    '{"defaults":{},"connections":{"demo":{"perPage":"canary"}}}',
    '.connections.demo.perPage',
    'expected a number, got text. Deploy',
  ],
  [
    '{"defaults":{"lists":{"invoices":{"perPage":"canary"}}},"connections":{}}',
    '.defaults.lists.invoices.perPage',
    'expected a number, got text. Deploy',
  ],
  ['{"defaults":{},"connections":{"Demo":{}}}', '.connections.Demo', 'expected 1 to 63'],
])('fails naming the place of wrong connections, without the value: %s', (text, place, problem) => {
  const read = () => readConnectionTable({ CONNECTIONS: text });

  expect(read).toThrow(`CONNECTIONS${place}: ${problem}`);
  expect(read).not.toThrow('canary');
});

test('gives a connection its lists', () => {
  const { lists } = connectionSettingsOf(
    {
      defaults: { lists: { invoices: { perPage: 20 }, refunds: {} } },
      connections: { demo: { perPage: 10, lists: { refunds: false, invoices: { idKey: 'n' } } } },
    },
    'demo',
  );

  expect([...lists.values()]).toEqual([
    { list: 'customers', resource: 'customers', ...DEFAULT_LIST_SETTINGS, perPage: 10, query: {} },
    {
      list: 'invoices',
      resource: 'invoices',
      ...DEFAULT_LIST_SETTINGS,
      perPage: 20,
      query: {},
      idKey: 'n',
    },
  ]);
});

const table = {
  defaults: { baseUrl: 'https://api.example.com', perPage: 50 },
  connections: { demo: {}, other: { perPage: 10, itemsKey: 'data' } },
};

const customersOf = (name: string | undefined) =>
  connectionSettingsOf(table, name).lists.get('customers');

test('gives a connection what is set for all, unless it says otherwise', () => {
  expect(connectionSettingsOf(table, 'demo').api.baseUrl).toBe('https://api.example.com');
  expect(customersOf('demo')).toMatchObject({ perPage: 50, firstPage: 1 });
  expect(connectionSettingsOf(table, 'other').api.itemsKey).toBe('data');
  expect(customersOf('other')).toMatchObject({ perPage: 10 });
});

test.each(['nobody', 'constructor', '__proto__', undefined])(
  'gives %s, which has no entry, what is set for all',
  (name) => {
    expect(connectionSettingsOf(table, name).api.baseUrl).toBe('https://api.example.com');
    expect(customersOf(name)).toMatchObject({ perPage: 50 });
  },
);

test.each([
  ['baseUrl', { baseUrl: 'http://api.example.com' }],
  ['firstPage', { baseUrl: 'https://api.example.com', firstPage: 7 }],
  ['metaKeys.total', { baseUrl: 'https://api.example.com', metaKeys: { total: '.' } }],
])('fails naming %s when it is wrong or missing', (setting, demo) => {
  expect(() => connectionSettingsOf({ defaults: {}, connections: { demo } }, 'demo')).toThrow(
    expect.objectContaining({ name: 'SettingError', setting }),
  );
});
