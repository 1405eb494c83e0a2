import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { CASES, type PeerCase } from './cases.ts';
import { CONTENDERS, contendersOf, GROUPS } from './contenders.ts';
import type { Measured } from './measure-contender.ts';
import { type Contest, problemsOf, rowsOf, tableOf } from './peer-table.ts';

const RIGHT = { records: 100, lost: 0, doubled: 0, wrongIds: 0, changedBytes: 0 };

function caseOf(name: string): PeerCase {
  const found = CASES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}

function runOf(row: string, wallMs: number, other: Partial<Measured> = {}): Measured {
  const usage = { wallMs, workMs: wallMs, cpuMs: 500, peakMemoryBytes: 1e8 };
  return { row, ...usage, requests: 100, throttles: 0, early: 0, output: RIGHT, ...other };
}

/** Ours takes 10 s first, then 8 s, and told 9 s; the peers as given. */
function contestsOf(peers: Readonly<Record<string, readonly Measured[]>>): readonly Contest[] {
  return CONTENDERS.map((contender) => {
    const [first, second] = contender.rows;
    const times = contender.isTold === true ? [9_000] : [10_000, 8_000];
    const measured =
      contender.group === 'ours'
        ? [first, second].flatMap((row, place) =>
            row === undefined ? [] : [runOf(row, times[place] ?? 0)],
          )
        : (peers[contender.group] ?? []);
    return { contender, measured, problems: [] };
  });
}

const PLAIN = 'ky, a plain loop';
const TOLD = 'got + p-queue';

test.each<[string, string, Readonly<Record<string, readonly Measured[]>>, readonly string[]]>([
  ['rate', 'as fast as ours', { ky: [runOf(PLAIN, 9_510)], 'p-queue': [runOf(TOLD, 7_610)] }, []],
  [
    'rate',
    'faster than our first export',
    { ky: [runOf(PLAIN, 9_400)] },
    ['ky, a plain loop takes 0.94 times as long as ours'],
  ],
  [
    'rate',
    'told the limit, and faster than ours that knows it',
    { 'p-queue': [runOf(TOLD, 7_500)] },
    ['got + p-queue takes 0.94 times as long as ours'],
  ],
  [
    'rate',
    'faster once of three times',
    { ky: [1, 11_000, 11_000].map((ms) => runOf(PLAIN, ms)) },
    [],
  ],
  ['rate', 'early once', { ky: [runOf(PLAIN, 5_000), runOf(PLAIN, 5_000, { early: 1 })] }, []],
  [
    'rate',
    'without a record',
    { ky: [runOf(PLAIN, 5_000, { output: { ...RIGHT, lost: 1 } })] },
    [],
  ],
  [
    'none',
    'told of a limit where there is none',
    { 'p-queue': [runOf(TOLD, 9_400)] },
    ['got + p-queue takes 0.94 times as long as ours'],
  ],
  ['none', 'that reads bytes only', { undici: [runOf('undici, bytes only (floor)', 100)] }, []],
])('in the case %s a peer %s: %j', (name, _, peers, problems) => {
  expect(problemsOf(rowsOf(caseOf(name), contestsOf(peers)))).toEqual(problems);
});

test('ours must be early never, and have each row once', () => {
  const wrong = runOf('ours, first export', 1, { early: 2, output: { ...RIGHT, doubled: 1 } });
  const contests = contestsOf({}).map((contest, place) =>
    place === 0 ? { ...contest, measured: [wrong] } : contest,
  );

  expect(problemsOf(rowsOf(caseOf('rate'), contests))).toEqual([
    'ours, first export: 2 early, 0 lost, 1 doubled',
  ]);
});

test('the table marks who is faster, and says what each was told', () => {
  const peers = { ky: [runOf(PLAIN, 5_000, { early: 3 })], 'p-queue': [runOf(TOLD, 8_000)] };
  const { head, rows } = tableOf(caseOf('rate'), rowsOf(caseOf('rate'), contestsOf(peers)));
  const cells = (name: string) => {
    const row = rows.find(([first]) => first === name) ?? [];
    return Object.fromEntries(head.map((title, place) => [title, row[place]]));
  };

  expect(cells(PLAIN)).toMatchObject({ told: '-', 'x ours': '0.50 faster', early: '3' });
  expect(cells(TOLD)).toMatchObject({ told: '50 a second', 'x ours': '1.00', early: '0' });
  expect(cells('ours, first export')).toMatchObject({ 'x ideal': '2.63', 'x ours': '-' });
});

test('who is told the limit is told one that the API has', () => {
  for (const { limit, told } of CASES) {
    expect(told === undefined).toBe(limit.kind === 'none');
    if (limit.kind !== 'fixed-window') continue;
    expect(told?.limits).toEqual([{ requests: limit.requests, perMs: limit.windowSeconds * 1000 }]);
  }
});

test('the floor takes part where no limit is met, and ours with a rate where there is one to tell', () => {
  const takesPart = (name: string) => contendersOf(caseOf(name), GROUPS).map((each) => each.name);
  const floor = 'undici, bytes only (floor)';
  const told = 'ours, rate stated';

  expect(['none', 'rate', 'random-5'].map((name) => takesPart(name).includes(floor))).toEqual([
    true,
    false,
    false,
  ]);
  expect(['none', 'rate', 'at-once'].map((name) => takesPart(name).includes(told))).toEqual([
    false,
    true,
    false,
  ]);
});

test.each(CASES.map(({ name }) => name))(
  'docs/performance.md has a place for the case %s',
  (name) => {
    const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');

    expect(page).toContain(`<!-- bench:peers-${name} -->`);
    expect(page).toContain(`<!-- end:peers-${name} -->`);
  },
);
