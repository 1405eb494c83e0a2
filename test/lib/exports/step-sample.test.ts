import { expect, test } from '@jest/globals';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { StepSample } from '../../../lib/exports/step-sample.ts';
import { pageOf } from '../../faults/model-api.ts';

const NOW_MS = 1_000;

test('makes the texts of the records of one page of a step only', () => {
  const sample = new StepSample({ list: 'customers', resource: 'customers', query: {} });
  const asked: number[] = [];

  for (const page of [1, 2, 3]) sample.take(pageThatTells(page, asked), undefined, NOW_MS);

  expect(asked).toEqual([1]);
  expect(sample.handOver()).toMatchObject({ page: 1, atMs: NOW_MS });
  expect(sample.handOver()).toBeUndefined();
});

test('takes a later page where the first one has no records', () => {
  const sample = new StepSample({ list: 'customers', resource: 'customers', query: {} });

  for (const page of [9, 1]) sample.take(pageOf(20, page, 10), undefined, NOW_MS);

  expect(sample.handOver()).toMatchObject({ page: 1 });
});

test('takes none of a list that shows nothing of the organization', () => {
  const sample = new StepSample({ list: 'currencies', resource: 'currencies', query: {} });
  const asked: number[] = [];

  sample.take(pageThatTells(1, asked), undefined, NOW_MS);

  expect(asked).toEqual([]);
  expect(sample.handOver()).toBeUndefined();
});

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
