import { expect, test } from '@jest/globals';
import { closeWrite } from '../../../lib/writes/close-write.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';

const ENDED = { status: 'done', attempt: 2, unannounced: true, updatedAtMs: 9 } as const;

/** A write that is closed, beside another one in its order. */
async function closed(own: Partial<WriteState>) {
  const state = writeState({ ...ENDED, orderKey: 'o', ...own });
  const other = writeState({ writeId: 'next', orderKey: 'o' });
  const { ports, ledger, events, sent } = acceptWorld([state, other], ['w', 'next']);
  await closeWrite(ports, state);
  const woken = sent.map(({ writeId }) => writeId);
  return {
    events,
    woken,
    line: ledger.readLine('acme', 'o')?.writeIds,
    stored: ledger.readWrite('acme', 'w'),
  };
}

test('the end of a write is told, the next one of its order woken, and both are noted', async () => {
  const { events, woken, line, stored } = await closed({});

  expect(events).toMatchObject([{ id: 'acme/w/done/2', kind: 'done', atMs: 9, orderKey: 'o' }]);
  expect([woken, line]).toEqual([['next'], ['next']]);
  expect(stored).toMatchObject({ unannounced: false, closed: true });
});

test('a write that is left to a person is told under an id of its attempt, and keeps its place', async () => {
  const { events, woken, line, stored } = await closed({ status: 'unclear' });

  expect(events).toMatchObject([{ id: 'acme/w/unclear/2' }]);
  expect([woken, line]).toEqual([[], ['w', 'next']]);
  expect(stored).toMatchObject({ unannounced: false, closed: true });
});

test('what was told is not told again, and one that came back into its order leaves it', async () => {
  const told = await closed({ unannounced: false });
  expect(told.events).toEqual([]);
  expect(told.stored).toMatchObject({ closed: true });

  const late = await closed({ unannounced: false, closed: true });
  expect([late.events, late.line]).toEqual([[], ['next']]);
  expect(late.stored?.writeToken).toBe('first');
});
