import { expect, test } from '@jest/globals';
import { connectionSettingsFor } from '../../../lib/doctor/doctor-settings.ts';
import type { Profile } from '../../../lib/doctor/profile.ts';
import { isDeep } from '../../deep/depth.ts';
import { DIALECTS, type Dialect, modelOf } from './dialects.ts';
import { examineModel } from './examined.ts';
import { exportedWith } from './exported.ts';

/** As docs/doctor.md promises. */
const MOST_READS = 10;

const EXPORTABLE = DIALECTS.filter(({ isExportable = true }) => isExportable);
const OTHERS = DIALECTS.filter(({ isExportable }) => isExportable === false);

function settingsOf({ list }: Profile): object {
  if (list === undefined) throw new Error('No page came.');
  const examined = { baseUrl: 'https://api.example.com', resource: 'customers', query: {} };
  return connectionSettingsFor(list, examined);
}

async function examined(dialect: Dialect, total?: number) {
  const model = modelOf(dialect, total);
  return { model, ...(await examineModel((question) => model.answer(question))) };
}

/** Of the model's own size, of two pages, of one page, and of less than one. */
const SIZES = isDeep ? [undefined, 130, 100, 40, 5] : [undefined, 40];

test.each(EXPORTABLE.map((dialect) => [dialect.name, dialect] as const))(
  'the settings for %s make an export that is complete, after ten requests at most',
  async (_, dialect) => {
    for (const total of dialect.needsPages === true ? SIZES.slice(0, 1) : SIZES) {
      const { model, profile, requests } = await examined(dialect, total);
      expect(requests.length).toBeLessThanOrEqual(MOST_READS);
      expect(profile).toMatchObject({ ending: 'all-asked', requests: requests.length });

      const copy = await exportedWith(settingsOf(profile), (question) => model.answer(question));

      expect(copy).toMatchObject({ status: 'completed', completeness: { verdict: 'complete' } });
      expect(copy.records.toSorted()).toEqual([...model.records].toSorted());
    }
  },
  60_000,
);

test.each(OTHERS.map((dialect) => [dialect.name, dialect] as const))(
  'says that %s cannot be exported: each page has the same records',
  async (_, dialect) => {
    const { profile, requests } = await examined(dialect);

    expect(requests.length).toBeLessThanOrEqual(MOST_READS);
    expect(profile.list).toMatchObject({ ignoresPage: true });
  },
);

test.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
  'says that a list in the dialect %s is empty',
  async (_, dialect) => {
    const { profile, requests } = await examined(dialect, 0);

    expect(requests.length).toBeLessThanOrEqual(5);
    if (dialect.name === 'two arrays') {
      expect(profile.list?.items).toMatchObject({ isFoundByRule: false, others: ['people'] });
    } else expect(profile.list).toMatchObject({ cost: { records: 0 }, id: { kind: 'no-records' } });
  },
);

const TWO_ARRAYS = DIALECTS.filter(({ name }) => name === 'two arrays');

test.each(
  TWO_ARRAYS.flatMap(({ options }) => ([0, 1] as const).map((first) => [first, options] as const)),
)('names the other array that could be meant, where pages begin at %d', async (number, options) => {
  const { profile } = await examined({ name: 'it', options: { ...options, firstPage: number } });

  const items = { path: 'people', isFoundByRule: false, others: ['groups'] };
  expect(profile.list).toMatchObject({ firstPage: { number }, items });
});
