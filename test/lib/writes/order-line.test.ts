import { expect, test } from '@jest/globals';
import { isFirstInLine, isOrdered, leaveLine } from '../../../lib/writes/order-line.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';

const inLine = (writeId: string, own: Partial<WriteState> = {}) =>
  writeState({ writeId, orderKey: 'o', ...own });
const over = inLine('over', { status: 'done' });

test.each<[string, readonly WriteState[], readonly string[], readonly string[]]>([
  ['the next one', [inLine('a'), inLine('b')], ['a'], ['a', 'b']],
  ['nobody where it was the last one', [], [], []],
  ['not one at work', [inLine('a', { lease: { owner: 'x', untilMs: 9 } })], [], ['a']],
  ['not one that waits for a key', [inLine('a', { halted: { sinceMs: 1 } })], [], ['a']],
  ['not one that waits for a person', [inLine('a', { status: 'unclear' })], [], ['a']],
  ['the one behind one that is over', [over, inLine('a')], ['a'], ['a']],
])('who leaves an order wakes %s', async (_, behind, woken, left) => {
  const own = inLine('w', { status: 'done' });
  const ids = [own, ...behind].map(({ writeId }) => writeId);
  const { ports, ledger, sent } = acceptWorld([own, ...behind], ids);

  if (isOrdered(own)) await leaveLine(ports, own);

  expect(sent.map(({ writeId }) => writeId)).toEqual(woken);
  expect(ledger.readLine('acme', 'o')?.writeIds).toEqual(left);
});

test('a write that is over by the time it joins its order has no turn, and leaves it', async () => {
  const stale = inLine('w');
  const { ports, ledger } = acceptWorld([inLine('w', { status: 'done' })]);

  expect(isOrdered(stale) && (await isFirstInLine(ports, stale))).toBe(false);
  expect(ledger.readLine('acme', 'o')?.writeIds).toEqual([]);
});

test('who is further behind leaves one that is over in the line, and that one still wakes the next', async () => {
  const [last, done] = [inLine('b'), inLine('over', { status: 'done' })];
  const { ports, ledger, sent } = acceptWorld([over, inLine('a'), last], ['over', 'a', 'b']);

  expect(isOrdered(last) && (await isFirstInLine(ports, last))).toBe(false);
  if (isOrdered(done)) await leaveLine(ports, done);

  expect(sent.map(({ writeId }) => writeId)).toEqual(['a']);
  expect(ledger.readLine('acme', 'o')?.writeIds).toEqual(['a', 'b']);
});

test('who has left the line wakes nobody again, however often its end is told', async () => {
  const own = inLine('w', { status: 'done' });
  const { world, ports, sent } = acceptWorld([own, inLine('a')], ['w', 'a']);
  const leave = async () => isOrdered(own) && leaveLine(ports, own);

  world.canSend = false;
  await expect(leave()).rejects.toThrow('SQS');
  world.canSend = true;
  for (let times = 0; times < 3; times++) await leave();

  expect(sent.map(({ writeId }) => writeId)).toEqual(['a']);
});
