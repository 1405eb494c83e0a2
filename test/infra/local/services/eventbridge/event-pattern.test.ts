import { expect, test } from '@jest/globals';
import { compilePattern } from '../../../../../infra/local/services/eventbridge/event-pattern.ts';

const event = {
  source: 'shop',
  detail: {
    id: 7,
    name: 'Ada Lovelace',
    tags: ['a', 'b'],
    none: null,
    on: true,
    rows: [{ n: 1 }, { n: 5 }],
    empty: [],
  },
};

test.each<[boolean, object]>([
  [true, { source: ['shop'] }],
  [true, { source: ['other', 'shop'] }],
  [false, { source: ['Shop'] }],
  [true, { source: [{ prefix: 'sh' }] }],
  [true, { source: [{ suffix: 'op' }] }],
  [true, { source: [{ prefix: { 'equals-ignore-case': 'SH' } }] }],
  [true, { source: [{ 'equals-ignore-case': 'SHOP' }] }],
  [true, { detail: { name: [{ wildcard: 'Ada*ace' }] } }],
  [false, { detail: { name: [{ wildcard: 'Ada' }] } }],
  [false, { source: [{ 'anything-but': ['shop'] }] }],
  [true, { source: [{ 'anything-but': 'stall' }] }],
  [false, { source: [{ 'anything-but': { prefix: ['x', 'sh'] } }] }],
  [false, { detail: { missing: [{ 'anything-but': 'x' }] } }],
  [true, { detail: { id: [7] } }],
  [false, { detail: { id: ['7'] } }],
  [true, { detail: { id: [{ numeric: ['>', 6, '<=', 7] }] } }],
  [false, { detail: { id: [{ numeric: ['>', 7] }] } }],
  [true, { detail: { missing: [{ exists: false }] } }],
  [false, { detail: { missing: [{ exists: true }] } }],
  [true, { detail: { name: [{ exists: true }] } }],
  [true, { detail: { empty: [{ exists: false }] } }],
  [true, { detail: { none: [null], on: [true] } }],
  [true, { detail: { tags: ['b'] } }],
  [false, { detail: { tags: ['c'] } }],
  [true, { detail: { rows: { n: [5] } } }],
  [false, { source: ['shop'], detail: { id: [8] } }],
  [true, { $or: [{ source: ['x'] }, { detail: { id: [7] } }] }],
  [false, { source: ['shop'], $or: [{ detail: { id: [8] } }] }],
])('%p for %j', (matches, pattern) => {
  expect(compilePattern(pattern, 'Rule')(event)).toBe(matches);
});

test.each([
  { source: 'shop' },
  { source: [] },
  { source: [{ cidr: '10.0.0.0/24' }] },
  { source: [{ numeric: ['~', 1] }] },
  { source: [{ prefix: 1 }] },
])('refuses %j and names the rule', (pattern) => {
  expect(() => compilePattern(pattern, 'MyRule')).toThrow(/^MyRule/);
});
