import { expect, test } from '@jest/globals';
import {
  DEFAULT_LIST_SETTINGS,
  type GivenListSettings,
  listSettingsOf,
} from '../../../lib/exports/list-settings.ts';

test('asks for the resource with the name of the list, unless it is told another', () => {
  const defaults = { ...DEFAULT_LIST_SETTINGS, query: {} };

  expect(listSettingsOf('invoices', {})).toEqual({
    list: 'invoices',
    resource: 'invoices',
    ...defaults,
  });
  expect(listSettingsOf('bills', { resource: 'finance/invoices', idKey: 'number' })).toEqual({
    list: 'bills',
    resource: 'finance/invoices',
    idKey: 'number',
    ...defaults,
  });
});

test('sends constant parameters as the text that was written', () => {
  const query = { status: 'all', 'filter[since]': '2026-01-01', expand: true, depth: 2, rate: 0.5 };

  expect(listSettingsOf('invoices', { query }).query).toEqual({
    status: 'all',
    'filter[since]': '2026-01-01',
    expand: 'true',
    depth: '2',
    rate: '0.5',
  });
});

test.each([
  ['resource', { resource: '' }, 'expected names of letters'],
  ['perPage', { perPage: 0 }, 'from 1 to 10000, got 0'],
  ['resource', { resource: '../keys' }, 'expected names of letters'],
  ['perPage', { perPage: 10_001 }, 'from 1 to 10000, got 10001'],
  ['firstPage', { firstPage: 2 }, 'from 0 to 1, got 2'],
  ['maxPasses', { maxPasses: 1.4 }, 'a number from 1.5 to 20, got 1.4'],
  ['itemsKey', { itemsKey: 'data.' }, 'member names joined by dots'],
  ['metaKeys.total', { metaKeys: { total: '' } }, 'member names joined by dots'],
  ['idKey', { idKey: '' }, 'expected a member name'],
  ['query.page', { query: { page: 2 } }, 'set firstPage and perPage instead'],
  ['query.per_page', { query: { per_page: '500' } }, 'set firstPage and perPage instead'],
  ['query.', { query: { '': 'x' } }, 'expected the name of a parameter'],
  ['query.a b', { query: { 'a b': 'x' } }, 'expected the name of a parameter'],
  ['query.number', { query: { number: 2 ** 53 } }, 'one beyond 2^53 as text'],
  ['query.number', { query: { number: Number.NaN } }, 'expected text, true, false or a number'],
  [
    'query',
    { query: { since: 'ä'.repeat(400) } },
    'expected at most 2000 characters as they are sent',
  ],
] satisfies readonly [string, GivenListSettings, string][])(
  'refuses a wrong %s by name: %j',
  (setting, given, problem) => {
    expect(() => listSettingsOf('invoices', given)).toThrow(
      expect.objectContaining({
        name: 'SettingError',
        setting,
        message: expect.stringContaining(problem),
      }),
    );
  },
);
