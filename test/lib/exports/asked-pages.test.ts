import { expect, test } from '@jest/globals';
import type { ListOutcome } from '../../../lib/customers-api/outcome.ts';
import { type AskedPage, AskedPages } from '../../../lib/exports/asked-pages.ts';
import { MAX_BYTES_IN_FLIGHT } from '../../../lib/exports/pages-in-flight.ts';
import { pageOf, throttled } from '../../faults/model-api.ts';

const HALF = MAX_BYTES_IN_FLIGHT / 2;

/** Pages that were asked for one after the other, and which of them gave their memory back. */
function asked(bytes: readonly number[]) {
  const pages = new AskedPages([]);
  const released: number[] = [];
  const entries = bytes.map((_, place) => pages.ask(place));
  const answer = (place: number) => {
    const entry = entries[place];
    if (entry === undefined) throw new Error(`nothing was asked at ${place}`);
    const ndjson = new Uint8Array(bytes[place] ?? 0);
    entry.outcome = { ...pageOf(1, 1, 1), ndjson, release: () => void released.push(place) };
    pages.settle(entry);
  };
  return { pages, released, answer };
}

test.each<[string, readonly number[], readonly number[]]>([
  ['that fit', [HALF, HALF], []],
  ['of which the last one does not fit', [HALF, HALF, 1], [2]],
  ['of which the last two do not fit', [HALF, HALF - 1, 1, 1, HALF], [4, 3]],
  ['of which the first one alone does not fit', [3 * HALF, 1], [1]],
])('of pages %s the last ones are given up, and never the first one', (_, bytes, given) => {
  const { pages, released, answer } = asked(bytes);
  for (const place of [...bytes.keys()].reverse()) answer(place);

  expect(released).toEqual(given);
  const kept = bytes.map((_bytes, place) => !given.includes(place));
  expect(bytes.map((_bytes, place) => pages.all[place]?.isMissing !== true)).toEqual(kept);
  expect(pages.nextPlace).toBe(Math.min(bytes.length, ...given));
});

test('pages that are dropped give their memory back, those under way when they are answered, and are forgotten then', () => {
  const { pages, released, answer } = asked([1, 1, 1]);
  answer(1);
  pages.dropAll();
  expect([released, pages.all.length]).toEqual([[1], 2]);

  answer(2);
  expect([released, pages.all.length]).toEqual([[1, 2], 1]);
});

const REJECTED: ListOutcome = { kind: 'authentication-failure', status: 401 };

test.each<[string, AskedPage, boolean]>([
  ['throttled', { outcome: throttled(1), isRecorded: true }, true],
  ['throttled, which the gate is not told yet', { outcome: throttled(1) }, false],
  ['rejected, which the gate is not told yet', { outcome: REJECTED }, false],
  ['a page', { outcome: pageOf(1, 1, 1), isRecorded: true }, false],
  ['under way', {}, false],
])(
  'behind a page that is missing one is asked for again if it was %s: %j',
  (_, answer, isAgain) => {
    const pages = new AskedPages([undefined]);
    const entry = Object.assign(pages.ask(1), answer);
    pages.missNoPages();

    expect(pages.all[1]).toEqual(isAgain ? { isMissing: true } : entry);
  },
);
