import { expect, test } from '@jest/globals';
import { customersSettingsOf } from '../../../infra/settings/customers-settings.ts';

const baseUrl = 'https://api.example.com';

test('separates what is set for all, for a connection and for the stack', () => {
  const context = {
    baseUrl,
    perPage: 50,
    secretPrefix: 'team/',
    eventBus: 'team',
    keepExportsDays: 30,
    lists: { invoices: { perPage: 9, schedule: 'rate(2 days)' }, quotes: {} },
    connections: {
      demo: { schedule: 'rate(1 day)', firstPage: 0 },
      other: { lists: { invoices: { schedule: 'rate(3 days)' }, quotes: false } },
    },
  };
  const settings = {
    connectionTable: {
      defaults: { baseUrl, perPage: 50, lists: { invoices: { perPage: 9 }, quotes: {} } },
      connections: { demo: { firstPage: 0 }, other: { lists: { invoices: {}, quotes: false } } },
    },
    schedules: { demo: 'rate(1 day)' },
    listSchedules: {
      defaults: { invoices: 'rate(2 days)' },
      connections: { other: { invoices: 'rate(3 days)' } },
    },
    secretPrefix: 'team/',
    eventBus: 'team',
    keepExportsDays: 30,
  };

  expect(customersSettingsOf(context)).toEqual(settings);
  // As `cdk -c customers-functions='{…}'` hands it over.
  expect(customersSettingsOf(JSON.stringify(context))).toEqual(settings);
});

test.each([{ baseUrl }, { baseUrl, connections: {} }, { connections: { own: { baseUrl } } }])(
  'needs no connection in the settings, and one address: %j',
  (context) => {
    expect(Object.keys(customersSettingsOf(context).connectionTable.connections)).toEqual(
      Object.keys(context.connections ?? {}),
    );
  },
);

test.each([
  ['', undefined, 'expected an object such as'],
  ['', '{"baseUrl"', 'expected an object such as'],
  ['', 7, 'expected an object'],
  ['.baseUrl', {}, 'expected the address before /2.0/, got nothing'],
  ['.baseUrl', { connections: { a: { baseUrl }, b: {} } }, 'got nothing'],
  ['.connections.Demo', { baseUrl, connections: { Demo: {} } }, 'expected 1 to 63 small letters'],
  ['.baseUrl', { connections: { demo: {} } }, 'expected the address before /2.0/, got nothing'],
  ['.baseUrl', { baseUrl: 'http://x', connections: { demo: {} } }, 'the scheme must be https'],
  ['.perPage', { baseUrl, perPage: 0, connections: { demo: {} } }, 'from 1 to 10000, got 0'],
  ['.constructor', JSON.parse(`{"baseUrl":"${baseUrl}","constructor":1}`), 'no such setting'],
  ['.__proto__', JSON.parse(`{"baseUrl":"${baseUrl}","__proto__":1}`), 'no such setting'],
  ['.connections', { baseUrl, connections: [] }, 'expected an object'],
  [
    '.connections.constructor.perPage',
    { baseUrl, connections: { constructor: { perPage: 0 } } },
    'from 1',
  ],
  ['.lists', { baseUrl, lists: ['invoices'] }, 'expected an object'],
  ['.lists.Invoices', { baseUrl, lists: { Invoices: {} } }, 'expected the name of a list'],
  ['.lists.invoices', { baseUrl, lists: { invoices: true } }, 'expected an object'],
  ['.lists.invoices.perpage', { baseUrl, lists: { invoices: { perpage: 1 } } }, 'no such setting'],
  [
    '.lists.invoices.query.at',
    { baseUrl, lists: { invoices: { query: { at: null } } } },
    'expected text, true, false or a number',
  ],
  [
    '.connections.acme.lists.invoices.perPage',
    { baseUrl, connections: { acme: { lists: { invoices: { perPage: 0 } } } } },
    'from 1 to 10000, got 0',
  ],
  ['.metaKeys.constructor', { baseUrl, metaKeys: { constructor: 'total' } }, 'no such setting'],
  ['.perpage', { baseUrl, perpage: 1, connections: { demo: {} } }, 'there is no such setting'],
  [
    '.secretPrefix',
    { baseUrl, secretPrefix: 'a b', connections: { demo: {} } },
    'expected 1 to 256',
  ],
  ['.keepDeletedDays', { baseUrl, keepDeletedDays: 0 }, '1 or more'],
  ['.keepDeletedDays', { baseUrl, keepDeletedDays: true }, 'expected a number'],
  ['.deletionProtection', { baseUrl, deletionProtection: 'no' }, 'expected true or false'],
  ['.describeExports', { baseUrl, describeExports: 1 }, 'expected true or false'],
  ['.compareExports', { baseUrl, compareExports: 'yes' }, 'expected true or false'],
  ['.changes.events', { baseUrl, changes: { events: 1 } }, 'expected true or false'],
  ['.changes.maxRemovedPercent', { baseUrl, changes: { maxRemovedPercent: 101 } }, 'from 0 to 100'],
  [
    '.connections.demo.changes.maxRemoved',
    { baseUrl, connections: { demo: { changes: { maxRemoved: 1 } } } },
    'no such setting',
  ],
  ['.tables', { baseUrl, tables: {} }, 'expected true or false'],
  ['.integrationId', { baseUrl, integrationId: '-a' }, 'expected 1 to 128 letters'],
  ['.keepExportsDays', { baseUrl, keepExportsDays: 0, connections: { demo: {} } }, '1 or more'],
  [
    '.keepExportsDays',
    { baseUrl, keepExportsDays: 1.5, connections: { demo: {} } },
    'whole number',
  ],
  [
    '.connections.demo.baseUrl',
    { baseUrl, connections: { demo: { baseUrl: 'https://x/2.0/' } } },
    'it ends with /2.0',
  ],
  [
    '.connections.demo.pagesInFlight',
    { baseUrl, connections: { demo: { pagesInFlight: 999 } } },
    'from 1 to 256, got 999',
  ],
  ['.compression', { baseUrl, compression: 'brotli' }, 'expected gzip or zstd'],
  [
    '.connections.demo.key',
    { baseUrl, connections: { demo: { key: 'canary' } } },
    'no such setting',
  ],
  [
    '.connections.demo.metaKeys.total',
    { baseUrl, connections: { demo: { metaKeys: { total: '.' } } } },
    'expected member names joined by dots',
  ],
  [
    '.connections.demo.schedule',
    { baseUrl, connections: { demo: { schedule: 'daily' } } },
    'expected rate(…) or cron(…)',
  ],
  [
    '.connections.demo.schedule.timezone',
    {
      baseUrl,
      connections: { demo: { schedule: { expression: 'cron(0 3 * * ? *)', timezone: 'X/Y' } } },
    },
    'expected the IANA name of a time zone',
  ],
  [
    '.operations[0].method',
    { baseUrl, operations: [{ name: 'create', method: 'canary' }] },
    'expected POST, PUT, PATCH or DELETE',
  ],
  [
    '.connections.demo.perPage',
    { baseUrl, connections: { demo: { perPage: 'canary' } } },
    'expected a number',
  ],
  ['.connections.demo', { baseUrl, connections: { demo: null } }, 'expected an object'],
  [
    '.eventBus',
    { baseUrl, eventBus: 'a b', connections: { demo: {} } },
    'name or the ARN of an event bus',
  ],
])('fails naming customers-functions%s: %j', (place, context, problem) => {
  let message = '';
  try {
    customersSettingsOf(context);
  } catch (error) {
    message = String(Reflect.get(Object(error), 'message'));
  }

  expect(message.startsWith(`customers-functions${place}: `)).toBe(true);
  expect(message).toContain(problem);
  expect(message).not.toContain('canary');
});
