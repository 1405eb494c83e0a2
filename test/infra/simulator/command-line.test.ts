import { expect, test } from '@jest/globals';
import { SIMULATE } from '../../../infra/command/simulate.ts';
import { namedByOption } from '../../../infra/command-line/option-table.ts';
import { helpOf, readCommandLine } from '../../../infra/command-line/usage.ts';
import {
  OPTIONS_OF_SETTINGS,
  parseFaultsFile,
  SIMULATOR_OPTIONS,
  simulatorOptionsOf,
} from '../../../infra/simulator/command-line.ts';
import type { SimulatorOptions } from '../../../infra/simulator/options.ts';
import { SettingError } from '../../../lib/errors.ts';

const USAGE = { name: 'simulate', what: 'Starts it.', options: SIMULATOR_OPTIONS };

function optionsOf(line: string): SimulatorOptions | 'help' {
  const command = readCommandLine(USAGE, line === '' ? [] : line.split(' '));
  return command === 'help' ? command : simulatorOptionsOf(command.options, 'the-key');
}

test('for people: a limit that shows', () => {
  expect(optionsOf('')).toEqual({
    organizations: [{ key: 'the-key' }],
    limit: { kind: 'token-bucket', ratePerSecond: 5, burst: 10 },
  });
});

test('reads every option', () => {
  const ofApi =
    '--customers 7 --invoices 8 --subscriptions 9 --seed 3 --rate 2 --window 9 --rate-limit-headers draft-8 --retry-after date --latency 1.5 --per-page 5 --max-per-page 6 --per-page-rule listed --per-page-sizes 5,6 --first-page 0 --order by-last-edit --meta nested --pretty --changes 4:3:2:1 --port 1 --base-path /a --key-header K';
  const others = '--faults f --log l --truth t --journal j --ca c --json --verbose';
  const known = Object.keys(SIMULATOR_OPTIONS).map((name) => `--${name}`);

  expect(optionsOf(ofApi)).toEqual({
    customers: 7,
    invoices: 8,
    subscriptions: 9,
    seed: 3,
    limit: { kind: 'fixed-window', requests: 2, windowSeconds: 9 },
    rateLimitHeaders: 'draft-8',
    retryAfter: 'date',
    latencyMs: 1.5,
    perPage: 5,
    maxPerPage: 6,
    perPageRule: 'listed',
    perPageSizes: [5, 6],
    firstPage: 0,
    order: 'by-last-edit',
    meta: 'nested',
    pretty: true,
    change: { everyRequests: 4, inserts: 3, deletes: 2, updates: 1 },
    port: 1,
    basePath: '/a',
    keyHeader: 'K',
    organizations: [{ key: 'the-key' }],
  });
  expect(readCommandLine(USAGE, others.split(' '))).toMatchObject({
    options: {
      faults: 'f',
      log: 'l',
      truth: 't',
      journal: 'j',
      ca: 'c',
      json: true,
      verbose: true,
    },
  });
  const tested = [...`${ofApi} ${others}`.matchAll(/--[a-z-]+/g)].map(([option]) => option);
  expect([...tested, '--burst', '--limit'].toSorted()).toEqual(known.toSorted());
  for (const option of known) expect(helpOf(SIMULATE.usage)).toContain(`  ${option} `);
});

test('has no limit on request', () => {
  expect(optionsOf('--rate none')).toMatchObject({ limit: { kind: 'none' } });
});

test('takes limits of any kind as JSON', () => {
  const limit =
    '{"kind":"all","limits":[{"kind":"at-once","requests":5},{"kind":"changing","steps":[{"limit":{"kind":"none"},"forSeconds":9}]}]}';

  expect(optionsOf(`--limit ${limit}`)).toMatchObject({ limit: JSON.parse(limit) });
});

test.each<[string, string]>([
  ['--customers many', '--customers: expected a number, got many'],
  ['--customers=', '--customers: expected a number, got nothing'],
  ['--first-page 2', '--first-page: expected 0 or 1, got 2'],
  ['--meta xml', '--meta: expected one of rails, '],
  ['--retry-after soon', '--retry-after: expected seconds or date, got soon'],
  ['--changes 3', '--changes: expected EVERY:INSERTS:DELETES or '],
  ['--window 5 --burst 3', '--burst: has no meaning with --window'],
  ['--rate none --burst 3', '--burst: has no meaning with --rate none'],
  ['--rate none --window 3', '--window: has no meaning with --rate none'],
  [
    '--limit 5/s',
    '--limit: expected a JSON object such as {"kind": "at-once", "requests": 5}, got 5/s',
  ],
  [
    '--limit {"kind":"at-once","requests":5,"requests":9}',
    '--limit: requests is there more than once',
  ],
  ['--limit {"kind":"odd"}', '--limit.kind: expected one of none, token-bucket, '],
  ['--limit {}', '--limit.kind: expected one of none, token-bucket, '],
  [
    '--limit {"kind":"all","limits":[{"kind":"at-once","requests":0}]}',
    '--limit.limits[0].requests: expected a whole number from 1 to 1000000, got 0',
  ],
  ['--limit {"kind":"none"} --rate 5', '--rate: has no meaning with --limit'],
  ['--rate-limit-headers draft-9', '--rate-limit-headers: expected one of none, '],
  ['--order random', '--order: expected one of rising, '],
  ['--per-page-rule odd', '--per-page-rule: expected one of any, '],
  ['--per-page-rule listed --per-page-sizes 5,', '--per-page-sizes: expected sizes such as 10,25'],
  ['--per-page-sizes 5', '--per-page-sizes: has no meaning with --per-page-rule any'],
  ['--nope', "Command line: Unknown option '--nope'. --help shows all options."],
  ['extra', 'Command line: expected options alone, got 1 argument'],
  ['--port', 'Command line: --port needs a value. --help shows all options.'],
])('fails on %s with a sentence', (line, message) => {
  expect(() => optionsOf(line)).toThrow(message);
});

test('fails on a fault file that is not JSON or not a script', () => {
  expect(() => parseFaultsFile('{')).toThrow('--faults: expected a file with JSON');
  expect(() => parseFaultsFile('[1]')).toThrow('--faults[0]: expected an object');
});

test.each([
  ['perPage', '--per-page'],
  ['limit.burst', '--burst'],
  ['limit.requests', '--rate'],
  ['change.inserts', '--changes'],
  ['perPageSizes[1]', '--per-page-sizes'],
  ['customers', '--customers'],
  ['Command line', 'Command line'],
])('a problem of the setting %s is one of %s', (setting, option) => {
  const error = new SettingError(setting, 'wrong');
  expect(namedByOption(SIMULATOR_OPTIONS, error, OPTIONS_OF_SETTINGS).message).toBe(
    `${option}: wrong`,
  );
});
