import { expect, test } from '@jest/globals';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { StepSample } from '../../../lib/exports/step-sample.ts';
import { pageOf } from '../../faults/model-api.ts';

const NOW_MS = 1_000;

test('makes the texts of the records of one page of a step only', async () => {
  const sample = new StepSample({ list: 'customers', resource: 'customers', query: {} });
  const asked: number[] = [];

  for (const page of [1, 2, 3]) sample.take(pageThatTells(page, asked), undefined, NOW_MS);

  expect(asked).toEqual([1]);
  expect(await handedOver(sample)).toMatchObject([{ page: 1, atMs: NOW_MS }]);
  expect(await handedOver(sample)).toEqual([]);
});

test('takes a later page where the first one has no records', async () => {
  const sample = new StepSample({ list: 'customers', resource: 'customers', query: {} });

  for (const page of [9, 1]) sample.take(pageOf(20, page, 10), undefined, NOW_MS);

  expect(await handedOver(sample)).toMatchObject([{ page: 1 }]);
});

test('takes none of a list that shows nothing of the organization', async () => {
  const sample = new StepSample({ list: 'currencies', resource: 'currencies', query: {} });
  const asked: number[] = [];

  sample.take(pageThatTells(1, asked), undefined, NOW_MS);

  expect(asked).toEqual([]);
  expect(await handedOver(sample)).toEqual([]);
});

test('hands over again what was not kept', async () => {
  const sample = new StepSample({ list: 'customers', resource: 'customers', query: {} });
  sample.take(pageOf(20, 1, 10), undefined, NOW_MS);

  await expect(sample.handOver(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await handedOver(sample)).toMatchObject([{ page: 1 }]);
});

async function handedOver(sample: StepSample): Promise<readonly object[]> {
  const kept: object[] = [];
  await sample.handOver(async (each) => void kept.push(each));
  return kept;
}

/** Makes the texts when they are asked for, as a page of the client does, and notes that it did. */
function pageThatTells(page: number, asked: number[]): Page {
  const made = pageOf(100, page, 10);
  return {
    ...made,
    get records() {
      asked.push(page);
      return made.records;
    },
  };
}
