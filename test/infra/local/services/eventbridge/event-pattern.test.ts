import { expect, test } from '@jest/globals';
import { compilePattern } from '../../../../../infra/local/services/eventbridge/event-pattern.ts';

const event = { source: 'shop', detail: { name: 'Ada Lovelace', id: 7, tags: ['a', 'b'] } };

test.each<[boolean, object]>([
  [true, { source: ['shop'] }],
  [true, { source: ['other', 'shop'] }],
  [false, { source: ['Shop'] }],
  [true, { source: [{ prefix: 'sh' }] }],
  [false, { source: [{ prefix: 'op' }] }],
  [true, { detail: { name: ['Ada', { prefix: 'Ada ' }] } }],
  [false, { detail: { missing: ['x'] } }],
  [false, { detail: { id: ['7'] } }],
  [false, { detail: { id: { deeper: ['x'] } } }],
  [true, { detail: { id: [{ exists: true }] } }],
  [false, { detail: { id: [{ exists: false }] } }],
  [true, { detail: { missing: ['x', { exists: false }] } }],
  [false, { detail: { missing: ['x', { exists: true }] } }],
  [false, { detail: { name: ['x', { exists: false }] } }],
  [true, { detail: { tags: ['b'] } }],
  [false, { detail: { tags: ['c'] } }],
  [false, { source: ['shop'], detail: { name: ['Bob'] } }],
])('%p for %j', (matches, pattern) => {
  expect(compilePattern(pattern, 'Rule')(event)).toBe(matches);
});

test.each([
  { source: 'shop' },
  { source: [] },
  { source: [{ suffix: 'op' }] },
  { source: [{ prefix: 1 }] },
  { source: [{ prefix: 'a', suffix: 'b' }] },
  { detail: { id: [7] } },
  { detail: { id: [null] } },
  { detail: { id: [{ exists: 'no' }] } },
  { detail: { id: [{ exists: true, prefix: 'a' }] } },
  { $or: [{ source: ['shop'] }] },
])('refuses %j and names the rule', (pattern) => {
  expect(() => compilePattern(pattern, 'MyRule')).toThrow(
    /^MyRule.* does not run the event pattern/,
  );
});
