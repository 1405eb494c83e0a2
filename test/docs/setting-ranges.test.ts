import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import {
  connectionSettingEntries,
  connectionSettingsOf,
} from '../../functions/services/connection-settings.ts';
import { DEFAULT_NO_COMPLETE_EXPORT_AFTER } from '../../infra/constructs/operations/alarms.ts';
import {
  customersSettingsOf,
  stackSettingEntries,
} from '../../infra/settings/customers-settings.ts';
import { settingsOf } from '../../lib/customers-api/settings.ts';
import { synthesizedStack } from '../infra/synthesized-stack.ts';

const baseUrl = 'https://api.example.com';
const textOf = (page: string) =>
  readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');

/** What a row says of one setting; `path` is where the setting stands. */
interface Said {
  readonly path: string;
  readonly range?: readonly [least: number, most: number];
  readonly standard?: number | string;
}

/** In seconds, or in bytes. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ...([
    ['s', 1],
    ['min', 60],
    ['h', 3600],
    ['day', 86_400],
    ['days', 86_400],
  ] as const),
  ...([
    ['MiB', 1024 ** 2],
    ['GiB', 1024 ** 3],
  ] as const),
]);
const NUMBER = String.raw`\d(?:[\d,.]*\d)?(?: \d{3})*`;
const AMOUNT = String.raw`(${NUMBER}) ?(s|min|h|days?|byte|MiB|GiB)?\b`;
const RANGE = new RegExp(String.raw`\b${AMOUNT} to ${AMOUNT}`);

/** In the unit that the name of the setting ends with. */
function amount(path: string, digits = '', unit = ''): number {
  const number = Number(digits.replace(/[ ,](?=\d{3}\b)/g, ''));
  const isCounted = path.endsWith('Seconds') || path.endsWith('Bytes');
  return isCounted ? number * (UNITS.get(unit) ?? 1) : number;
}

function rangeIn(path: string, text: string): Said['range'] {
  const [, least, leastUnit, most, mostUnit] = RANGE.exec(text) ?? [];
  if (least === undefined) return undefined;
  return [amount(path, least, leastUnit), amount(path, most, mostUnit)];
}

function standardIn(path: string, text: string): Said['standard'] {
  const [, digits, unit] = new RegExp(`^\`?${AMOUNT}`).exec(text) ?? [];
  if (digits !== undefined) return amount(path, digits, unit);
  // Those that are on or off are seen in what is deployed, by test/infra.
  return /^`'?(?!true|false)([a-z-]+)'?`$/.exec(text)?.[1];
}

/** Of rows with the names of one or more settings, what they mean, and their defaults. */
function saidIn(page: string, prefix = ''): readonly Said[] {
  const rows = [...textOf(page).matchAll(/^\| (`[^|]+) \| (.*) \| ([^|]*) \|$/gm)];
  return rows.flatMap(([, cell = '', meaning = '', standards = '']) => {
    const names = [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => prefix + name);
    const each = standards.split(/, (?=\d)/);
    return names.map((path, index) => saidOf(path, index === 0 ? meaning : '', each[index] ?? ''));
  });
}

function saidOf(path: string, meaning: string, standard: string): Said {
  const said = { range: rangeIn(path, meaning), standard: standardIn(path, standard) };
  return {
    path,
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
  };
}

/** Of the properties of one type in the reference. */
function saidOfType(type: string, prefix = ''): readonly Said[] {
  const [, section = ''] = textOf('reference/infra.md').split(`\n### ${type}\n`);
  const [properties = ''] = section.split('\n### ');
  const rows = properties.matchAll(
    /^\| <a id="[^"]*"><\/a> `(\w+)\??` \| `readonly` \| (?:[^|]|\\\|)* \| (.*?)(?:\*\*Default\*\* (`[^`]*`).*)? \|/gm,
  );
  return [...rows].map(([, name, meaning = '', standard = '']) =>
    saidOf(`${prefix}${name}`, meaning, standard),
  );
}

const SAID: Readonly<Record<string, readonly Said[]>> = {
  'settings.md': saidIn('settings.md'),
  'client.md': saidIn('client.md').filter(({ path }) => path in connectionSettingEntries),
  'writes.md': saidIn('writes.md'),
  'http-api.md': saidIn('http-api.md', 'httpApi.'),
  'schedules.md': saidIn('schedules.md', 'schedule.'),
  ...{ GivenSettings: saidOfType('GivenSettings'), Props: saidOfType('CustomersIntegrationProps') },
  HttpApiSettings: saidOfType('HttpApiSettings', 'httpApi.'),
  ScheduleSettings: saidOfType('ScheduleSettings', 'schedule.'),
};

/** The lengths of names and of patterns are no values of settings. */
const NO_VALUES = ['connections', 'keyPatterns'];
const WITHIN: Readonly<Record<string, object>> = { schedule: { expression: 'rate(1 day)' } };

const RANGES = Object.entries(SAID).flatMap(([place, all]) =>
  all.flatMap(({ path, range }) => {
    // The cell of `changes` says what each of its members is.
    const name = path === 'changes' ? 'changes.maxRemovedPercent' : path;
    return range === undefined || NO_VALUES.includes(path) ? [] : [[place, name, range] as const];
  }),
);

function isTaken(path: string, value: number): boolean {
  const [first = '', second] = path.split('.');
  const given = second === undefined ? value : { ...WITHIN[first], [second]: value };
  try {
    customersSettingsOf({ baseUrl, [first]: given });
    return true;
  } catch {
    return false;
  }
}

test.each(RANGES)('%s says the range of %s: %j', (_, path, [least, most]) => {
  const below = Number.isInteger(least) && path !== 'maxPasses' ? least - 1 : least * 0.9;

  expect([below, least, most, most + 1].map((value) => isTaken(path, value))).toEqual([
    ...[false, true],
    ...[true, false],
  ]);
});

test('every setting that is a number has its range on a page or in the reference', () => {
  const ranged = RANGES.map(([, path]) => path);
  const entries = { ...stackSettingEntries, ...connectionSettingEntries };
  const numbers = Object.entries(entries).filter(([, { wrapped }]) => wrapped.type === 'number');
  const unranged = numbers.map(([name]) => name).filter((name) => !ranged.includes(name));

  // As CloudWatch has it, any number of days, and 0 or 1.
  expect(unranged).toEqual(['logRetentionDays', 'keepExportsDays', 'firstPage']);
});

/** What holds where nothing is set. */
const standards = new Map<string, unknown>();

beforeAll(() => {
  const table = { defaults: { baseUrl }, connections: {} };
  const settings = connectionSettingsOf(table, undefined);
  const lists = settings.lists.get('customers');
  for (const group of [settings.write, settings.export, lists]) {
    for (const [name, value] of Object.entries(group ?? {})) standards.set(name, value);
  }
  standards.set('alarms.noCompleteExportHours', DEFAULT_NO_COMPLETE_EXPORT_AFTER.toHours());
  const { deadlineMs, maxBodyBytes } = settingsOf({ baseUrl, key: 'any' });
  standards.set('deadlineMs', deadlineMs).set('maxBodyBytes', maxBodyBytes);
  const made = JSON.stringify(synthesizedStack({ baseUrl, schedule: 'rate(1 day)' }).toJSON());
  for (const [path, pattern] of IN_THE_TEMPLATE)
    standards.set(path, Number(pattern.exec(made)?.[1]));
});

const IN_THE_TEMPLATE: readonly (readonly [path: string, value: RegExp])[] = [
  ['maxConcurrentExports', /"MaximumConcurrency":(\d+)/],
  ['logRetentionDays', /"RetentionInDays":(\d+)/],
  ['keepDeletedDays', /"NoncurrentDays":(\d+)/],
  ['httpApi.requestsPerSecond', /"ThrottlingRateLimit":(\d+)/],
  ['httpApi.burst', /"ThrottlingBurstLimit":(\d+)/],
];

/** That are no single value. */
const NOT_ONE_VALUE = ['removalPolicy', 'httpApi.authorization', 'authenticationStatuses'];

const STANDARDS = Object.entries(SAID).flatMap(([place, all]) =>
  all.flatMap(({ path, standard }) =>
    standard === undefined || NOT_ONE_VALUE.includes(path)
      ? []
      : [[place, path, standard] as const],
  ),
);

test.each(STANDARDS)('%s says the default of %s: %s', (_, path, standard) => {
  expect(standards.get(path)).toBe(standard);
});
