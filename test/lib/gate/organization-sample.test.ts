import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { defined } from '../../../lib/defined.ts';
import {
  amid,
  MADE_AT_MOST,
  type OrganizationSample,
  sampleOf,
  showsSame,
  successor,
  tells,
} from '../../../lib/gate/organization-sample.ts';

const NOW_MS = 1_000_000;
const REQUEST = { resource: 'customers', query: {}, page: 1 };

function pageOf(records: readonly string[], total?: number) {
  return { records, evidence: { ...defined({ total }), warnings: [] } };
}

const recordsOf = (count: number, of: string) =>
  Array.from({ length: count }, (_, index) => `${of} ${index}`);

const sampled = (records: readonly string[], total?: number) =>
  sampleOf(REQUEST, pageOf(records, total), NOW_MS);

const records = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 4, maxLength: 300 });

test('recognizes the organization by a page amid its list, in any order, also when less than half of the sample changed', () => {
  fc.assert(
    fc.property(records, fc.integer({ min: 0, max: 100 }), (page, percent) => {
      const sample = amid(sampled(page), MADE_AT_MOST);
      expect(sample.hashes.length).toBe(Math.min(32, page.length));
      expect(tells(sample)).toBe(true);
      expect(showsSame(sample, pageOf(page.toReversed()))).toBe(true);
      const changed = Math.floor((sample.hashes.length * percent) / 100);
      const later = {
        ...sample,
        hashes: sample.hashes.map((h, i) => (i < changed ? '-'.repeat(12) : h)),
      };
      const inCommon = sample.hashes.length - changed;
      expect(showsSame(later, pageOf(page))).toBe(inCommon >= 4 && inCommon > changed);
    }),
  );
});

test('a page that may stand anywhere shows an organization by more records than an API makes, and no other way', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: MADE_AT_MOST }),
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 0, max: 120 }),
      fc.boolean(),
      (made, own, others, areTold) => {
        const [a, b] = [own, others].map((count, index) => {
          const list = [...recordsOf(made, 'made'), ...recordsOf(count, index === 0 ? 'A' : 'B')];
          return pageOf(list, areTold ? list.length : undefined);
        });
        if (a === undefined || b === undefined) return;
        const sample = sampleOf(REQUEST, a, NOW_MS);
        // What they have in common is the whole list of both: nothing tells them apart.
        const areEqual = own === 0 && others === 0 && areTold && made >= 4;
        expect(showsSame(sample, b)).toBe(areEqual);
        const isTelling = a.records.length > MADE_AT_MOST || (areTold && a.records.length >= 4);
        expect(tells(sample)).toBe(isTelling);
        expect(showsSame(sample, a)).toBe(isTelling);
      },
    ),
  );
});

test('asks for fewer records in common the deeper in the list the page stands', () => {
  const page = recordsOf(25, 'A');
  const leastAt = (depth: number) => amid(sampled(page), depth).least;
  expect([0, 1, 10, 16, 17, 20, 500].map(leastAt)).toEqual([21, 20, 11, 5, 4, 4, 4]);
  const changed = pageOf([...page.slice(12), ...recordsOf(12, 'new')]);
  expect(showsSame(sampled(page), changed)).toBe(false);
  expect(showsSame(amid(sampled(page), 10), changed)).toBe(true);
});

test('recognizes a list that an API may have made whole only as a whole', () => {
  const list = recordsOf(12, 'A');
  const sample = sampled(list, 12);
  expect(showsSame(sample, pageOf(list.toReversed(), 12))).toBe(true);
  expect(showsSame(sample, pageOf([...list.slice(1), 'changed'], 12))).toBe(false);
  expect(showsSame(sample, pageOf([...list, 'another'], 13))).toBe(false);
  // The page of an API that gives twelve at most.
  expect(showsSame(sample, pageOf(list, 300))).toBe(false);
  expect(showsSame(sample, pageOf(list))).toBe(false);
  expect(tells(sampled(list))).toBe(false);
  expect(tells(sampled(list, 300))).toBe(false);
});

test('recognizes no organization by the same record many times, nor by three', () => {
  for (const page of [[], ['{}'], recordsOf(3, 'A'), Array.from({ length: 30 }, () => '{}')]) {
    expect(tells(sampled(page, page.length))).toBe(false);
    expect(tells(amid(sampled(page, 300), 100))).toBe(false);
  }
});

test('takes no list for the same that doubled or halved', () => {
  const page = recordsOf(100, 'A');
  const sample = sampled(page, 300);
  for (const total of [undefined, 150, 300, 600])
    expect(showsSame(sample, pageOf(page, total))).toBe(true);
  for (const total of [149, 601]) expect(showsSame(sample, pageOf(page, total))).toBe(false);
  expect(showsSame(sampled(page), pageOf(page, 601))).toBe(true);
});

test('takes no page of other records for it, and no empty one', () => {
  fc.assert(
    fc.property(records, (page) => {
      for (const sample of [
        sampled(page),
        amid(sampled(page), MADE_AT_MOST),
        sampled(page, page.length),
      ]) {
        const others = page.map((_, index) => `another record ${index}`);
        expect(showsSame(sample, pageOf(others, others.length))).toBe(false);
        expect(showsSame(sample, pageOf([], 0))).toBe(false);
      }
    }),
  );
});

const FORMER: OrganizationSample = { ...REQUEST, hashes: [], atMs: 1 };

test('a sample of a former version gives way to whatever is seen now; any other one to one that tells, unless more of its own records may change and it is less than a day old', () => {
  const few = sampled(recordsOf(10, 'A'));
  const many = sampled(recordsOf(40, 'A'));
  expect(successor(many, undefined)).toBe(many);
  expect(successor(many, many)).toBe(many);
  expect(successor(amid(many, 9), many)?.least).toBe(MADE_AT_MOST + 1 - 9);
  const later = (ms: number) => ({ ...many, atMs: many.atMs + ms });
  expect(successor(later(86_399_999), amid(many, 9))).toBeUndefined();
  expect(successor(later(86_400_000), amid(many, 9))).toEqual(later(86_400_000));
  expect(successor(later(0), { ...many, least: 4, hashes: [] })).toEqual(many);
  // One of five may change, eleven of 32 may.
  expect(successor(many, amid(sampled(recordsOf(5, 'A')), MADE_AT_MOST))).toBe(many);
  expect(successor(few, undefined)).toBeUndefined();
  expect(successor(few, many)).toBeUndefined();
  const nothing = successor(few, { ...FORMER, hashes: many.hashes.slice(0, 16) });
  expect(nothing && tells(nothing)).toBe(false);
});

test('a sample of a whole list goes once the list has more records', () => {
  const whole = sampled(recordsOf(8, 'made'), 8);
  expect(successor(undefined, whole, 8)).toBeUndefined();
  const left = successor(undefined, whole, 9);
  expect(left && tells(left)).toBe(false);
  const many = { ...sampled(recordsOf(40, 'A')), atMs: whole.atMs - 1 };
  expect(successor(many, whole, 40)).toBe(many);
});
