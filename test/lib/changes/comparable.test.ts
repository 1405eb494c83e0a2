import { expect, test } from '@jest/globals';
import { comparedBy, whyNotSince } from '../../../lib/changes/comparable.ts';
import type { StoredManifest } from '../../../lib/exports/stored-manifest.ts';
import { ComparisonWorld } from './comparison-world.ts';

test.each<[string, Partial<StoredManifest>, string | undefined]>([
  ['complete', {}, 'id'],
  ['drifted', { completeness: { verdict: 'drifted' } }, undefined],
  ['unproven', { completeness: { verdict: 'unproven' } }, undefined],
  ['complete, but without ids', { ids: { keys: [], missing: 0 } }, undefined],
  ['complete, but for an id', { ids: { keys: ['id'], missing: 1 } }, undefined],
])('compares an export that is %s by its ids, or not at all', (_, about, idKey) => {
  expect(comparedBy(new ComparisonWorld().complete('a', [['{"id":1}']], about))).toBe(idKey);
});

const exportWith = (about: Partial<StoredManifest>, records = '{"id":1}') =>
  new ComparisonWorld().complete('a', [[records]], about);

test('an export that cannot be compared with any is none to compare another with, and says why', () => {
  const lacking = exportWith({ ids: { keys: ['id'], missing: 1 } });

  expect(whyNotSince(exportWith({}), lacking)).toBe('1 of its records have no id (id).');
});

test.each<[string, Partial<StoredManifest>, Partial<StoredManifest>, string | undefined]>([
  ['another first page', { firstPage: 0 }, { firstPage: 1 }, 'It has another firstPage.'],
  ['another member', { itemsKey: 'a' }, { itemsKey: 'b' }, 'It has another itemsKey.'],
  ['a member instead of a rule', { itemsKey: null }, { itemsKey: 'b' }, 'It has another itemsKey.'],
  ['what an older manifest does not tell', {}, { firstPage: 0, itemsKey: 'b' }, undefined],
  [
    'the same settings',
    { firstPage: 0, itemsKey: 'b' },
    { firstPage: 0, itemsKey: 'b' },
    undefined,
  ],
])('an export is compared or not with one that has %s', (_, before, now, why) => {
  expect(whyNotSince(exportWith(now), exportWith(before))).toBe(why);
});

test('the order of parameters makes no other query', () => {
  const one = exportWith({ query: { active: 'true', kind: 'a' } });
  const other = exportWith({ query: { kind: 'a', active: 'true' } });

  expect(whyNotSince(one, other)).toBeUndefined();
  expect(whyNotSince(one, exportWith({ query: { kind: 'b', active: 'true' } }))).toBe(
    'It has another query.',
  );
});
