import { expect, test } from '@jest/globals';
import { listNameOf, listSettingsFor } from '../../../lib/doctor/doctor-settings.ts';
import type { ListProfile } from '../../../lib/doctor/profile.ts';

const LIST: ListProfile = {
  items: { path: 'customers', isFoundByRule: true, others: [] },
  meta: { names: [], metaKeys: {}, reasons: [] },
  digitTexts: [],
  linkParameters: [],
  askedFrom: 1,
  ignoresPage: false,
  order: { kind: 'rising', member: 'id' },
  id: { kind: 'found', member: 'id', type: 'number', isByRule: true },
  cost: { records: 100, bytes: 10_000, elapsedMs: 40 },
};
const ASKED = { baseUrl: 'https://api.example.com', resource: 'customers', query: {} };
const MIB = 1024 * 1024;

interface Tried {
  readonly size: number;
  readonly bytes?: number;
  readonly elapsedMs?: number;
}

test.each<[string, readonly Tried[], number]>([
  ['came in good time', [{ size: 100 }, { size: 1_000, elapsedMs: 10_000 }], 100],
  ['are not too large', [{ size: 100 }, { size: 1_000, bytes: 4 * MIB + 1 }], 100],
  ['came at all, where all were slow', [{ size: 100, elapsedMs: 20_000 }], 100],
  ['came', [{ size: 100 }, { size: 1_000, bytes: 4 * MIB, elapsedMs: 9_999 }], 1_000],
  ['can be set', [{ size: 20_000 }], 10_000],
])('takes the largest pages that %s', (_title, sizes, perPage) => {
  const tried = sizes.map(({ size, bytes = 1_000, elapsedMs = 40 }) => ({
    ...{ asked: size, got: size, bytes, elapsedMs },
  }));
  const largest = Math.max(...sizes.map(({ size }) => size));
  const list = { ...LIST, sizes: { tried, largest, isLargestKnown: true } };
  expect(listSettingsFor(list, ASKED)).toMatchObject({ perPage });
});

test.each<[string, Partial<ListProfile>, number | undefined]>([
  ['whose order is shown', {}, undefined],
  ['whose order nothing shows', { order: { kind: 'unknown' } }, 3],
  ['that ignores page', { order: { kind: 'unknown' }, ignoresPage: true }, undefined],
])('reads a list twice where that is needed: one %s', (_title, change, maxPasses) => {
  expect(listSettingsFor({ ...LIST, ...change }, ASKED).maxPasses).toBe(maxPasses);
});

test.each([
  ['shop/_Invoice Lines_', 'invoice-lines'],
  ['customers', 'customers'],
])('calls the list of the resource %s %s', (resource, name) => {
  expect(listNameOf(resource)).toBe(name);
});
