import { expect, test } from '@jest/globals';
import { namedByOption } from '../../../../infra/command-line/option-table.ts';
import { helpOf } from '../../../../infra/command-line/usage.ts';
import {
  OPTIONS_OF_SETTINGS,
  parseStartOptions,
  START_OPTIONS,
  START_USAGE,
} from '../../../../infra/local/start/start-options.ts';
import { stackContext } from '../../../../infra/local/start/synthesize.ts';
import { SettingError } from '../../../../lib/errors.ts';

test('exports a simulated API as "demo" into ./exports when nothing is given', () => {
  expect(parseStartOptions([])).toMatchObject({
    baseUrl: undefined,
    connection: 'demo',
    settings: {},
    out: './exports',
    json: false,
  });
});

test('hands the settings of the connection on under the names of the stack', () => {
  const options = parseStartOptions([
    '--base-url=https://api.example.com',
    '--connection=acme',
    ...['--per-page=50', '--first-page', '0', '--items-key=data', '--id-key=uuid'],
    '--lists={"invoices":{"perPage":200,"query":{"status":"open"}},"subscriptions":{}}',
    ...['--resource=clients', '--header=X-Key', '--meta-keys={"total":"meta.records"}'],
    ...['--requests-per-second=0.5', '--compression=zstd', '--out', '/tmp/here', '--json'],
  ]);

  expect(options).toMatchObject({
    baseUrl: 'https://api.example.com',
    connection: 'acme',
    settings: {
      resource: 'clients',
      header: 'X-Key',
      metaKeys: { total: 'meta.records' },
      perPage: 50,
      firstPage: 0,
      itemsKey: 'data',
      idKey: 'uuid',
      lists: { invoices: { perPage: 200, query: { status: 'open' } }, subscriptions: {} },
      requestsPerSecond: 0.5,
      compression: 'zstd',
    },
    out: '/tmp/here',
    json: true,
  });
});

test.each([
  [['--speed=1'], /Unknown option '--speed'.*--help shows all options\.$/],
  [['here'], /expected options alone, got 1 argument/],
  [['--json=yes'], /--json takes no value/],
  [['--out'], /--out needs a value/],
  [['--per-page=ten'], /^--per-page: expected a number, got ten$/],
  [['--per-page='], /^--per-page: expected a number, got nothing$/],
  [['--per-page=1e3'], /^--per-page: expected a number, got 1e3$/],
  [['--items-key='], /^--items-key: expected a value, got nothing$/],
  [['--serve', '--port=-1'], /^--port: expected a whole number from 0 to 65535, got -1$/],
  [['--serve', '--port=8e3'], /^--port: expected a whole number from 0 to 65535, got 8e3$/],
  [['--lists='], /^--lists: expected a JSON object such as \{"invoices": .*, got nothing$/],
  [['--lists=invoices'], /^--lists: expected a JSON object .*, got other text of 8 characters$/],
  [
    ['--lists=["invoices"]'],
    /^--lists: expected a JSON object .*, got other text of 12 characters$/,
  ],
  [['--connection=A b'], /^--connection: expected 1 to 63 small letters, .*, got A b$/],
  [['--base-url='], /^--base-url: expected a value, got nothing$/],
  [['--out='], /^--out: expected a value, got nothing$/],
])('refuses %j in one sentence that names the option', (args, message) => {
  expect(() => parseStartOptions(args)).toThrow(message);
  expect(() => parseStartOptions(args)).toThrow(/^[^\n]*$/);
});

test('--help wins over everything else, and shows every option', () => {
  expect(parseStartOptions(['--per-page=ten', '--help'])).toBe('help');
  for (const [, option = ''] of helpOf(START_USAGE).matchAll(/^ {2}(--[a-z-]+)/gm)) {
    // A flag refuses the value, and some options want another one beside them: but each is known.
    expect(() => parseStartOptions([option, '1'])).not.toThrow(/Unknown option/);
  }
});

test.each([
  ['customers-functions.baseUrl', '--base-url'],
  ['httpPort', '--port'],
  ['customers-functions.connections.demo.perPage', '--per-page'],
  ['customers-functions.connections.demo.requestsPerSecond', '--requests-per-second'],
  ['customers-functions.connections.per-page.perPage', '--per-page'],
  ['customers-functions.connections.lists.perPage', '--per-page'],
  ['customers-functions.connections.lists.lists.header.idKey', '--lists.header.idKey'],
  ['customers-functions.connections.demo.metaKeys.perPage', '--meta-keys.perPage'],
  ['customers-functions.operations[0].check.maxPages', '--operations[0].check.maxPages'],
  ['customers-functions.operations[0].resource', '--operations[0].resource'],
  ['customers-functions.connections.Wrong Name', '--connection'],
  ['--out', '--out'],
  ['--lists.invoices.perPage', '--lists.invoices.perPage'],
  ['CUSTOMERS_API_KEY', 'CUSTOMERS_API_KEY'],
])('a problem of %s is one of %s', (setting, option) => {
  const error = new SettingError(setting, 'wrong');
  expect(namedByOption(START_OPTIONS, error, OPTIONS_OF_SETTINGS).message).toBe(`${option}: wrong`);
});

const API = { baseUrl: 'https://api.example.com', operations: [] };
const contextWith = (connection: string, lists: string) => {
  const options = parseStartOptions(['--connection', connection, '--lists', lists]);
  if (options === 'help') throw new Error('no help was asked for');
  return stackContext(options, API);
};

test('exports customers first, then each further list, and those alone that are not left out', () => {
  expect(contextWith('demo', '{}').lists).toEqual(['customers']);
  expect(contextWith('demo', '{"invoices":{},"subscriptions":{}}').lists).toEqual([
    'customers',
    'invoices',
    'subscriptions',
  ]);
  expect(contextWith('demo', '{"customers":false,"invoices":{}}').lists).toEqual(['invoices']);
});

test.each([
  ['{"invoices":{"perPage":0}}', /^--lists\.invoices\.perPage: expected a whole number/],
  ['{"invoices":{"page":2}}', /^--lists\.invoices\.page: there is no such setting$/],
  ['{"invoices":{"query":{"page":"2"}}}', /^--lists\.invoices\.query\.page: .*set firstPage/],
  ['{"In Voices":{}}', /^--lists.*: expected the name of a list/],
  ['{"invoices":7}', /^--lists\.invoices: /],
  ['{"customers":false}', /^--lists: leaves out every list, so there is nothing to export$/],
])('refuses the lists %s in one sentence that names the option and the place', (lists, message) => {
  for (const connection of ['demo', 'lists', 'per-page']) {
    const problem = () => {
      try {
        contextWith(connection, lists);
        return '';
      } catch (error) {
        if (!(error instanceof SettingError)) throw error;
        return namedByOption(START_OPTIONS, error, OPTIONS_OF_SETTINGS).message;
      }
    };
    expect(problem()).toMatch(message);
  }
});
