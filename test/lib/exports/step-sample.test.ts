import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { StepSample } from '../../../lib/exports/step-sample.ts';
import {
  MADE_AT_MOST,
  type OrganizationSample,
  showsSame,
} from '../../../lib/gate/organization-sample.ts';
import { pageOf, pageWith } from '../../faults/model-api.ts';

const NOW_MS = 1_000;
const REQUEST = { list: 'customers', resource: 'customers', query: {} };

/** Takes pages of ten in this order. */
function taken(pages: readonly number[], total: number, kept?: OrganizationSample): StepSample {
  const sample = new StepSample(REQUEST, kept);
  let before = 0;
  for (const number of pages) {
    const page = pageOf(total, number, 10, false);
    sample.take(page, undefined, { before }, NOW_MS);
    before += page.recordCount;
  }
  return sample;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('takes the page that lies deepest in the list, from whichever end it is read', async () => {
  expect(await handedOver(taken(upTo(9), 90))).toMatchObject([{ page: 5, atMs: NOW_MS }]);
  expect(await handedOver(taken(upTo(9).reverse(), 90))).toMatchObject([{ page: 5 }]);
  expect(await handedOver(taken([3, 4, 5, 8, 9], 90))).toMatchObject([{ page: 5 }]);
  expect(await handedOver(taken(upTo(200), 2_000))).toMatchObject([{ page: 7 }]);
});

test('takes none where an API may have made a whole page', async () => {
  expect(await handedOver(taken(upTo(4), 40))).toEqual([]);
  expect(await handedOver(taken(upTo(5), 50))).toMatchObject([{ page: 3 }]);
});

test('takes a page that has more records than an API makes, and a whole list that is told to be', async () => {
  const sample = new StepSample(REQUEST, undefined);
  sample.take(pageOf(25, 1, 25, false), undefined, { before: 0 }, NOW_MS);
  expect(await handedOver(sample)).toMatchObject([{ page: 1 }]);

  for (const [told, from, hashes] of [
    [8, 8, 8],
    [8, 12, undefined],
    [undefined, 8, undefined],
  ] as const) {
    const list = new StepSample(REQUEST, undefined);
    for (const [number, before] of [
      [1, 0],
      [2, 8],
    ] as const) {
      const page = pageOf(from, number, 8, false);
      const evidence = { warnings: [], ...(told !== undefined && { total: told }) };
      list.take({ ...page, evidence }, undefined, { before }, NOW_MS);
    }
    expect((await handedOver(list))[0]?.hashes.length).toBe(hashes);
  }
});

test('shows no organization by records that an API made for both, wherever pages end and whatever is read first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: MADE_AT_MOST }),
      fc.integer({ min: 0, max: 150 }),
      fc.integer({ min: 5, max: 60 }),
      fc.record({
        pages: fc.integer({ min: 1, max: 40 }),
        areLast: fc.boolean(),
        isBack: fc.boolean(),
      }),
      async (made, own, perPage, { pages, areLast, isBack }) => {
        const listOf = (organization: string) => {
          const ids = Array.from({ length: made + own }, (_, id) => id);
          const texts = ids.map(
            (id) => `{"id":${id},"name":"${id < made ? 'made' : organization}"}`,
          );
          return areLast ? texts.reverse() : texts;
        };
        const pageIn = (organization: string, page: number) =>
          pageWith(listOf(organization).slice((page - 1) * perPage, page * perPage), page);
        const numbers = upTo(Math.ceil((made + own) / perPage));
        if (isBack) numbers.reverse();
        const sample = new StepSample(REQUEST, undefined);
        let before = 0;
        for (const number of numbers.slice(0, pages)) {
          const page = pageIn('A', number);
          sample.take(page, undefined, { before }, NOW_MS);
          before += page.recordCount;
        }
        for (const kept of await handedOver(sample)) {
          expect(showsSame(kept, pageIn('A', kept.page))).toBe(true);
          expect(showsSame(kept, pageIn('B', kept.page))).toBe(false);
        }
      },
    ),
  );
});

test('takes no page for deeper by records that come again, edited or not, nor by those that are read again', async () => {
  const again = pageOf(90, 3, 10).records.map((record) =>
    record.replace('"name":"', '"name":"new '),
  );
  const sample = taken([1, 2, 3], 90);
  for (let time = 0; time < 3; time++) {
    sample.take(pageWith(again, 4), undefined, { before: 30 }, NOW_MS);
    sample.take(pageOf(90, 6, 10), undefined, { before: 30, again: 10 }, NOW_MS);
    sample.take(pageOf(90, 7, 10), undefined, { before: undefined }, NOW_MS);
  }
  expect(await handedOver(sample)).toEqual([]);

  sample.take(pageOf(90, 5, 10), undefined, { before: 40 }, NOW_MS);
  sample.take(pageOf(90, 6, 10), undefined, { before: 50 }, NOW_MS);
  expect(await handedOver(sample)).toMatchObject([{ page: 3, least: 4 }]);
});

test('makes the texts of few pages of a step, however long it is', () => {
  const asked: number[] = [];
  for (const isNew of [true, false]) {
    const sample = new StepSample(REQUEST, undefined);
    for (const page of upTo(100)) {
      sample.take(pageThatTells(page, asked), undefined, { before: isNew ? page * 10 : 0 }, NOW_MS);
    }
  }

  expect(asked).toEqual([...upTo(12), ...upTo(20)]);
});

test('keeps the sample that tells something, and no longer one of a former version', async () => {
  const [kept] = await handedOver(taken(upTo(9), 90));
  expect(await handedOver(taken([1], 90, kept))).toEqual([]);
  const { least: _least, ...former } = { ...kept, ...REQUEST, page: 1, hashes: ['a'], atMs: 0 };
  expect(await handedOver(taken([1], 90, former))).toMatchObject([{ hashes: [] }]);
  expect(await handedOver(taken([], 90, former))).toEqual([]);
});

test('takes none of a list that shows nothing of the organization', async () => {
  const sample = new StepSample({ ...REQUEST, list: 'currencies' }, undefined);
  const asked: number[] = [];

  sample.take(pageThatTells(1, asked), undefined, { before: 0 }, NOW_MS);

  expect(asked).toEqual([]);
  expect(await handedOver(sample)).toEqual([]);
});

test('hands over once, and again what was not kept', async () => {
  const sample = taken(upTo(9), 90);

  await expect(sample.handOver(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await handedOver(sample)).toMatchObject([{ page: 5 }]);
  expect(await handedOver(sample)).toEqual([]);
});

async function handedOver(sample: StepSample): Promise<readonly OrganizationSample[]> {
  const kept: OrganizationSample[] = [];
  await sample.handOver(async (each) => void kept.push(each));
  return kept;
}

/** Makes the texts when they are asked for, as a page of the client does, and notes that it did. */
function pageThatTells(page: number, asked: number[]): Page {
  const made = pageOf(1_000, page, 10);
  return {
    ...made,
    get records() {
      asked.push(page);
      return made.records;
    },
  };
}
