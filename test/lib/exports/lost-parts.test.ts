import { expect, test } from '@jest/globals';
import { lostParts } from '../../../lib/exports/lost-parts.ts';
import type { PartRecord } from '../../../lib/exports/part-record.ts';

const part = (number: number): PartRecord => ({
  ...{
    connection: 'acme',
    exportId: 'now',
    number,
    token: 't',
    key: `now/part-${number}.ndjson.gz`,
  },
  ...{ firstPage: 1, pages: 1, records: 1, bytes: 10, storedBytes: 5, sha256: 'a', version: 'v1' },
  ...{ withoutId: 0, repeats: { ids: 0, texts: 0 }, index: { bytes: 7, version: 'i1' } },
  deleteAfterMs: 1,
});
const PARTS = [1, 2, 3, 4, 5].map(part);
const STORED = PARTS.flatMap(({ key }) => [
  { key, bytes: 5, version: 'v1' },
  { key: key.replace('.ndjson.gz', '.index'), bytes: 7, version: 'i1' },
]);

test('finds nothing lost where all is as it was stored', () => {
  expect(lostParts(PARTS, STORED, true)).toBeUndefined();
});

test.each([
  ['now/part-2.ndjson.gz', { bytes: 6 }, true, 'now/part-2.ndjson.gz has 6 bytes, expected 5'],
  [
    'now/part-2.ndjson.gz',
    ...([
      { version: 'v2' },
      true,
      'now/part-2.ndjson.gz was written again by somebody else',
    ] as const),
  ],
  ['now/part-2.ndjson.gz', undefined, true, 'now/part-2.ndjson.gz is missing'],
  ['now/part-2.index', undefined, true, 'now/part-2.index is missing'],
  ['now/part-2.index', undefined, false, undefined],
])('says what became of %s: %j', (key, change, isIndexNeeded, problem) => {
  const stored = STORED.flatMap((each) => {
    if (each.key !== key) return [each];
    return change === undefined ? [] : [{ ...each, ...change }];
  });
  const reason = lostParts(PARTS, stored, isIndexNeeded);
  expect(reason?.code).toBe(problem && 'part-lost');
  if (problem !== undefined) expect(reason?.message).toContain(`1 of 5 parts are not`);
  if (problem !== undefined) expect(reason?.message).toContain(`: ${problem}. So there`);
});

test('counts parts, not their objects, and names three', () => {
  const message = lostParts(PARTS, [], true)?.message;
  expect(message).toMatch(/^5 of 5 parts .* is missing; and 2 more\. So/);
});
