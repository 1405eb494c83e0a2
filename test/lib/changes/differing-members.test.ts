import { expect, test } from '@jest/globals';
import { differingMembers } from '../../../lib/changes/differing-members.ts';

const differing = (before: string, after: string) =>
  differingMembers(Buffer.from(before), Buffer.from(after));

test.each<[string, string, readonly string[]]>([
  ['{"id":1,"a":1.0,"b":2}', '{"id":1,"a":1,"b":2}', ['a']],
  ['{"id":1,"gone":null}', '{"new":[],"id":1}', ['new', 'gone']],
  ['{"a":{"x":1,"y":2},"b":"é"}', '{"b":"\\u00e9","a":{"y":2,"x":1}}', []],
  ['{"a":{"x":1,"y":2}}', '{"a":{"y":1,"x":2}}', ['a']],
  ['{"a":1,"a":2}', '{"a":2,"a":1}', ['a']],
  ['{"a":1,"a":2}', '{"a":1}', ['a']],
  ['{"\\u0061":1}', '{"a":1}', []],
])('of %s and %s: %j', (before, after, names) => {
  expect(differing(before, after)).toEqual(names);
});

test('names a hundred at most, and none of a record with very many', () => {
  const wide = (count: number, value: number) =>
    `{${Array.from({ length: count }, (_, n) => `"m${n}":${value}`).join(',')}}`;

  expect(differing(wide(500, 1), wide(500, 2))?.length).toBe(100);
  expect(differing(wide(10_001, 1), wide(10_001, 2))).toBeUndefined();
});
