import { expect, test } from '@jest/globals';
import { type Comparison, ListHistory } from '../../../infra/simulator/list-history.ts';
import { randomBelow, randomOf } from '../../../infra/simulator/random.ts';
import { seedsOf, tried, trySeed } from '../../deep/depth.ts';

const HISTORY = new ListHistory(new Map([...'abcdef'].map((id) => [id, `${id}1`])), [
  { at: 10, action: 'updated', id: 'a', text: 'a2' },
  { at: 10, action: 'deleted', id: 'b' },
  { at: 20, action: 'inserted', id: 'g', text: 'g1' },
  { at: 20, action: 'updated', id: 'a', text: 'a3' },
  { at: 30, action: 'deleted', id: 'c' },
  { at: 30, action: 'deleted', id: 'g' },
]);

const ids = ({ added, changed, removed }: Comparison['certain']) =>
  [added, changed, removed].map((each) => [...each].sort().join(''));

test('knows the records at each moment', () => {
  const textsAt = (ms: number) => [...HISTORY.recordsAt(ms).values()].sort().join(' ');

  expect(textsAt(9)).toBe('a1 b1 c1 d1 e1 f1');
  expect(textsAt(10)).toBe('a2 c1 d1 e1 f1');
  expect(textsAt(29)).toBe('a3 c1 d1 e1 f1 g1');
  expect(textsAt(99)).toBe('a3 d1 e1 f1');
});

test.each([
  [0, 9, 'abcdef'],
  // What comes or goes in the same millisecond may have done so before or after a reader came.
  [0, 10, 'acdef'],
  [10, 29, 'acdef'],
  [20, 29, 'acdef'],
  [21, 29, 'acdefg'],
  [21, 30, 'adef'],
])('knows who was there throughout %d to %d', (fromMs, toMs, expected) => {
  expect([...HISTORY.throughout({ fromMs, toMs })].sort().join('')).toBe(expected);
});

test('knows what differs between two moments', () => {
  expect(ids(HISTORY.between(0, 25))).toEqual(['g', 'a', 'b']);
  expect(ids(HISTORY.between(15, 99))).toEqual(['', 'a', 'c']);
  expect(ids(HISTORY.between(31, 99))).toEqual(['', '', '']);
});

test('tells what two readers find in any case from what they may find', () => {
  const { certain, possible } = HISTORY.compare({ fromMs: 0, toMs: 5 }, { fromMs: 15, toMs: 25 });

  expect(ids(certain)).toEqual(['', 'a', 'b']);
  expect(ids(possible)).toEqual(['g', 'a', 'b']);
});

test('two readers find what is certain, and nothing that is not possible', async () => {
  for (const seed of seedsOf({ short: 50, deep: 1_000 })) {
    await trySeed(seed, async () => {
      const random = randomOf(seed);
      const { history, end } = historyOf(random);
      const [a = 0, b = 0, c = 0, d = 0] = Array.from({ length: 4 }, () =>
        randomBelow(random, end),
      ).sort((x, y) => x - y);
      const [one, other] = [
        { fromMs: a, toMs: b },
        { fromMs: c, toMs: d },
      ];
      const { certain, possible } = history.compare(one, other);
      const read = ({ fromMs, toMs }: typeof one, id: string) =>
        history.recordsAt(fromMs + randomBelow(random, toMs - fromMs + 1)).get(id);
      for (let id = 0; id < IDS; id += 1) {
        const [was, is] = [read(one, `${id}`), read(other, `${id}`)];
        const found = was === is ? 'same' : !was ? 'added' : !is ? 'removed' : 'changed';
        for (const kind of ['added', 'changed', 'removed'] as const) {
          if (certain[kind].has(`${id}`)) expect(found).toBe(kind);
          if (found === kind) expect(possible[kind].has(`${id}`)).toBe(true);
        }
      }
    });
  }
  tried('histories of lists', 1);
});

const IDS = 12;

/** Several changes in a millisecond, and milliseconds without one. */
function historyOf(random: () => number) {
  const first = new Map(Array.from({ length: IDS / 2 }, (_, id) => [`${id}`, 'first']));
  const there = new Set(first.keys());
  let at = 0;
  const changes = Array.from({ length: 20 }, (_, index) => {
    at += randomBelow(random, 3);
    const id = `${randomBelow(random, IDS)}`;
    if (there.has(id) && random() < 0.5) {
      there.delete(id);
      return { at, action: 'deleted', id } as const;
    }
    const action = there.has(id) ? 'updated' : 'inserted';
    there.add(id);
    return { at, action, id, text: `${index}` } as const;
  });
  return { history: new ListHistory(first, changes), end: at + 2 };
}
