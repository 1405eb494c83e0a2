import { expect, test } from '@jest/globals';
import { UnreadableItemError } from '../../../lib/steps/unreadable-item.ts';

const messageOf = (sort: string) =>
  new UnreadableItemError({ connection: 'demo', sort }, ['v', 'status']).message;

test('names the item and what is wrong in it', () => {
  expect(messageOf('export#1')).toMatch(
    /^The ledger item export#1 of connection demo cannot be read: v, status is missing/,
  );
});

test.each(['export#1', 'active-export'])('says of %s that it may be deleted', (sort) => {
  expect(messageOf(sort)).toMatch(
    /Deploy the version that wrote it, or delete the item and start the export again\.$/,
  );
});

test.each([
  ...['gate', 'part#1#2#token', 'write#1', 'order#a#b', 'change#1', 'changes#customers'],
  ...['of-a-later-version', 'export'],
])('says of %s that it must stay', (sort) => {
  expect(messageOf(sort)).toMatch(/Deploy the version that wrote it; do not delete it\.$/);
});
