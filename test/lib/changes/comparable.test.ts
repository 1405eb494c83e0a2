import { expect, test } from '@jest/globals';
import { comparedBy } from '../../../lib/changes/comparable.ts';
import type { StoredManifest } from '../../../lib/exports/stored-manifest.ts';
import { ComparisonWorld } from './comparison-world.ts';

test.each<[string, Partial<StoredManifest>, string | undefined]>([
  ['complete', {}, 'id'],
  ['drifted', { completeness: { verdict: 'drifted' } }, undefined],
  ['unproven', { completeness: { verdict: 'unproven' } }, undefined],
  ['complete, but without ids', { ids: { keys: [], missing: 0 } }, undefined],
  [
    'complete, but with two members for ids',
    { ids: { keys: ['id', 'no'], missing: 0 } },
    undefined,
  ],
  ['complete, but for an id', { ids: { keys: ['id'], missing: 1 } }, undefined],
])('compares an export that is %s by its ids, or not at all', (_, about, idKey) => {
  expect(comparedBy(new ComparisonWorld().complete('a', [['{"id":1}']], about))).toBe(idKey);
});
