import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { ROUTES } from '../../functions/http/routes.ts';
import { parseExportRequested } from '../../functions/messages/export-requested.ts';
import { parseQueuedWrite } from '../../functions/messages/write-requested.ts';
import {
  connectionSettingEntries,
  connectionSettingsOf,
} from '../../functions/services/connection-settings.ts';
import { plannedLists } from '../../infra/constructs/exports/planned-starts.ts';
import {
  customersSettingsOf,
  stackSettingEntries,
} from '../../infra/settings/customers-settings.ts';
import { integrationPropsOf } from '../../infra/settings/integration-props.ts';
import { inFile } from '../../infra/settings/settings-file.ts';
import { SettingError } from '../../lib/errors.ts';
import { listSettingEntries } from '../../lib/exports/list-settings.ts';
import {
  documentedMembers,
  documentedOrganizationMembers,
  documentedWriteMembers,
  eventSchema,
} from '../faults/check-event.ts';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');

const blocksOf = (name: string): readonly Record<string, unknown>[] =>
  [...page(name).matchAll(/^```json\n(.*?)^```/gms)].map(([, text = '']) => JSON.parse(text));

test.each(['schedules.md', 'events.md', 'writes.md', 'settings.md'])(
  'the settings in %s are taken',
  (name) => {
    const settings = blocksOf(name).filter(({ baseUrl }) => baseUrl !== undefined);

    expect(settings.length).toBeGreaterThan(0);
    for (const each of settings) expect(() => customersSettingsOf(each)).not.toThrow();
  },
);

const rowsOf = (name: string) =>
  [...page(name).matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell);

test('settings.md has a row for each setting', () => {
  const named = new Set(rowsOf('settings.md').flatMap((cell) => cell?.match(/(?<=`)\w+(?=`)/g)));
  const settings = { ...stackSettingEntries, ...connectionSettingEntries, ...listSettingEntries };

  expect(Object.keys(settings).filter((name) => !named.has(name))).toEqual([]);
});

test('http-api.md has a row for each route, and for no other', () => {
  const documented = rowsOf('http-api.md').flatMap(
    (cell) => /^`((?:GET|POST) [^`?]+)/.exec(cell ?? '')?.[1] ?? [],
  );
  const served = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);

  expect(documented.toSorted()).toEqual(served.toSorted());
});

// curl 7.88 signs parameters as they are written, and what verifies a signature sorts them.
test.each(['http-api.md', 'changes.md'])(
  '%s writes parameters in the order that is signed',
  (name) => {
    const queries = [...page(name).matchAll(/^call "[^"?]*\?([^"]+)"/gm)].map(
      ([, query = '']) => query,
    );

    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries) expect(query).toBe(query.split('&').sort().join('&'));
  },
);

test('the lists in settings.md are asked for as the page says', () => {
  const [given] = blocksOf('settings.md').filter(({ lists }) => lists !== undefined);
  const { connectionTable } = customersSettingsOf(given);
  const listsOf = (name: string) => connectionSettingsOf(connectionTable, name).lists;

  expect([...listsOf('any').keys()]).toEqual(['customers', 'invoices', 'subscriptions']);
  expect([...listsOf('acme').keys()]).toEqual(['customers', 'invoices']);
  for (const { resource, query, firstPage, perPage } of listsOf('acme').values()) {
    const parameters = { ...query, page: String(firstPage), per_page: String(perPage) };
    expect(page('settings.md')).toContain(`\`${resource}?${new URLSearchParams(parameters)}\``);
  }
});

test('the settings in schedules.md plan what its table says', () => {
  const [given] = blocksOf('schedules.md').filter(({ lists }) => lists !== undefined);
  const settings = customersSettingsOf({ baseUrl: 'https://api.example.com', ...given });
  const props = integrationPropsOf(new Stack(new App(), 'Documented'), settings);
  const planned = plannedLists(props.connectionTable, props);
  const expressionOf = (connection: string, list: string) => {
    const { own = [], except = [], forAll } = planned.find((each) => each.list === list) ?? {};
    const ofOwn = own.find((each) => each.connection === connection)?.options;
    const followed = except.includes(connection) ? ofOwn : forAll;
    return followed === undefined ? 'none' : `\`${followed.schedule.expressionString}\``;
  };
  const lists = ['customers', 'invoices', 'subscriptions'];
  const rowOf = (title: string, connection: string) =>
    `| ${[title, ...lists.map((list) => expressionOf(connection, list))].join(' | ')} |`;

  expect(page('schedules.md')).toContain(rowOf('`north`', 'north'));
  expect(page('schedules.md')).toContain(rowOf('all others', 'another'));
});

test('the error in schedules.md is the one that is shown', () => {
  const schedule = { expression: 'cron(0 3 * * ? *)', timezone: 'europe/berlin' };
  const connections = { south: { schedule } };
  let message = '';
  try {
    customersSettingsOf({ baseUrl: 'https://api.example.com', connections });
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    message = inFile(error, 'customers.settings.json');
  }

  expect(page('schedules.md')).toContain(`\`\`\`\n${message}\n\`\`\``);
});

test('the request in events.md is understood, and the command sends it', () => {
  const [entry] = blocksOf('events.md').filter(({ Source }) => Source !== undefined);
  const [entries = ''] = /(?<=--entries ').*(?=')/.exec(page('events.md')) ?? [];
  expect(JSON.parse(entries)).toEqual([entry]);
  const event = {
    id: 'e-1',
    source: entry?.['Source'],
    'detail-type': entry?.['DetailType'],
    detail: JSON.parse(String(entry?.['Detail'])),
  };

  expect(parseExportRequested(event, 'CustomersFunctions')).toEqual({
    connection: 'north',
    list: 'customers',
    eventId: 'e-1',
  });
});

test('the request in writes.md is understood', () => {
  const [entry] = blocksOf('writes.md').filter(({ Source }) => Source !== undefined);
  const event = {
    id: 'e-1',
    source: entry?.['Source'],
    'detail-type': entry?.['DetailType'],
    detail: JSON.parse(String(entry?.['Detail'])),
  };

  expect(parseQueuedWrite(JSON.stringify(event), 'CustomersFunctions')).toMatchObject({
    kind: 'value',
  });
  const [message = ''] = /(?<=--message-body ').*(?=')/.exec(page('writes.md')) ?? [];
  expect(parseQueuedWrite(message, 'CustomersFunctions')).toMatchObject({ kind: 'value' });
});

test('events.md names every member of the events of writes', () => {
  for (const kind of ['done', 'refused', 'unclear']) {
    for (const member of documentedWriteMembers(kind)) {
      expect(page('events.md')).toContain(`\`${member}\``);
    }
  }
});

test('events.md names every member of the event of a changed organization', () => {
  for (const member of documentedOrganizationMembers()) {
    expect(page('events.md')).toContain(`\`${member}\``);
  }
});

test('the event in events.md is what its schema says, and the page names every member', () => {
  const [detail] = blocksOf('events.md').filter(({ kind }) => kind !== undefined);

  expect(eventSchema('throttled-long')(detail)).toBe(true);
  for (const kind of ['completed', 'failed', 'halted', 'throttled-long']) {
    for (const member of documentedMembers(kind)) {
      expect(page('events.md')).toContain(`\`${member}\``);
    }
  }
});
