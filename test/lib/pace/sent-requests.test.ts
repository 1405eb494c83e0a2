import { expect, test } from '@jest/globals';
import { SentRequests } from '../../../lib/pace/sent-requests.ts';

const NOW = Date.UTC(2026, 0, 1);

function order(sent: SentRequests): readonly (readonly [number, number])[] {
  return sent.all.map(({ atMs, atOnce }) => [atMs - NOW, atOnce]);
}

test('has requests in the order in which they leave, with as many as run when they do', () => {
  const sent = new SentRequests();
  const [slow, slower, fast] = [sent.add(NOW), sent.add(NOW + 1), sent.add(NOW + 2)];
  sent.left(fast, NOW + 2);
  sent.left(slow, NOW + 300);
  sent.answer(fast, { kind: 'admitted', atMs: NOW + 310 });
  sent.left(slower, NOW + 320);

  expect(order(sent)).toEqual([
    [2, 1],
    [300, 2],
    [320, 2],
  ]);
  expect(sent.first).toBe(fast);
});

test('one that has not left comes after all that have, also after those of others', () => {
  const sent = new SentRequests();
  const [connecting, fast] = [sent.add(NOW), sent.add(NOW + 1)];
  sent.left(fast, NOW + 1);
  sent.addElsewhere(NOW + 50);
  sent.addElsewhere(NOW + 60);
  sent.left(connecting, NOW + 55);

  expect(order(sent).map(([atMs]) => atMs)).toEqual([1, 50, 55, 60]);
});

test('one that ends without leaving does not hold up the others', () => {
  const sent = new SentRequests();
  const [held, fast, slow] = [sent.add(NOW), sent.add(NOW + 1), sent.add(NOW + 2)];
  sent.left(fast, NOW + 1);
  sent.answer(held, { kind: 'other' });

  expect(order(sent).map(([atMs]) => atMs)).toEqual([0, 1, 2]);
  expect(sent.first).toBe(held);
  expect(sent.behindFirst(NOW + 10)).toEqual([fast]);
  sent.remove(held);
  sent.left(slow, NOW + 8);
  expect(sent.behindFirst(NOW + 10)).toEqual([slow]);
});

test('has them in the order in which they were counted where nobody tells when they leave', () => {
  const sent = new SentRequests();
  const [first, second] = [sent.add(NOW), sent.add(NOW + 1)];
  sent.answer(second, { kind: 'admitted', atMs: NOW + 20 });
  sent.addElsewhere(NOW + 30);

  expect(order(sent)).toEqual([
    [0, 1],
    [1, 2],
    [30, 3],
  ]);
  expect(sent.first).toBe(first);
  expect(sent.behindFirst(NOW + 10)).toEqual([second]);
});

test('limits count a request as it leaves, or at once where nobody tells when', () => {
  const sent = new SentRequests();
  const first = sent.add(NOW);
  expect([first.isSpent, sent.waiting]).toEqual([true, 0]);
  expect(sent.left(first, NOW + 5)).toBe(false);
  const [second, third] = [sent.add(NOW + 10), sent.add(NOW + 10)];
  expect([second.isSpent, sent.waiting]).toEqual([false, 2]);
  expect(sent.left(second, NOW + 300)).toBe(true);
  expect([second.isSpent, sent.waiting]).toEqual([true, 1]);
  sent.answer(third, { kind: 'other' });
  expect(sent.waiting).toBe(0);
});
