import { expect, test } from '@jest/globals';
import type { GateOpening } from '../../../lib/gate/ports.ts';
import { dueAtMs, wakeOpened } from '../../../lib/steps/due-at.ts';

const WAITING = { notBeforeMs: 9_000, updatedAtMs: 1_000 };
const openedAt = (atMs: number): GateOpening => ({
  ...{ id: 'opening', atMs, by: 'somebody', reason: 'agreed', untilMs: 9_000 },
});

test.each([
  ['its own wait is the longer one', WAITING, { blockedUntilMs: 8_000 }, 9_000],
  ['the wait of the gate is', WAITING, { blockedUntilMs: 10_000 }, 10_000],
  ['a person opened the gate since', WAITING, { blockedUntilMs: 0, opening: openedAt(1_000) }, 0],
  [
    'the API asked for another wait after that',
    WAITING,
    { blockedUntilMs: 3_000, opening: openedAt(1_000) },
    3_000,
  ],
  [
    'it waits for what came after the opening',
    { ...WAITING, waitsSinceMs: 2_000 },
    { blockedUntilMs: 0, opening: openedAt(1_999) },
    9_000,
  ],
  [
    'it was stored after the opening, and does not say since when it waits',
    { ...WAITING, updatedAtMs: 2_000 },
    { blockedUntilMs: 0, opening: openedAt(1_999) },
    9_000,
  ],
])('an item goes on in time where %s', (_, item, gate, expected) => {
  expect(dueAtMs(item, gate)).toBe(expected);
});

const OPENED = { blockedUntilMs: 0, opening: openedAt(1_000) };
const NOW_MS = 2_000;

test.each([
  ['wakes what waited for a gate that a person opened', {}, OPENED, undefined, 1],
  ['wakes it at the end of another wait', {}, { ...OPENED, blockedUntilMs: NOW_MS }, undefined, 1],
  ['not before that', {}, { ...OPENED, blockedUntilMs: NOW_MS + 1 }, undefined, 0],
  ['not what a worker has', { lease: { owner: 'a', untilMs: 2_001 } }, OPENED, undefined, 0],
  ['not what is over', {}, OPENED, 'over', 0],
  ['not what waits for another key', {}, OPENED, 'halted', 0],
] as const)('%s', async (_, own, gate, rest, expected) => {
  let sent = 0;
  const kind = {
    clock: { now: () => NOW_MS },
    restOf: () => rest,
    send: async () => {
      sent++;
    },
  };
  await wakeOpened(kind, { ...WAITING, writeToken: 'first', wakeUpSent: true, ...own }, gate);
  expect(sent).toBe(expected);
});
