import { expect, test } from '@jest/globals';
import type { GateOpening } from '../../../lib/gate/ports.ts';
import { dueAtMs } from '../../../lib/steps/due-at.ts';

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
])('an item goes on in time where %s', (_, item, gate, expected) => {
  expect(dueAtMs(item, gate)).toBe(expected);
});
