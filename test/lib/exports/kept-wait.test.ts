import { expect, test } from '@jest/globals';
import { notingWaits, recordKeptWait } from '../../../lib/exports/kept-wait.ts';
import { Worker } from '../../faults/worker.ts';
import { CONNECTION, World } from '../../faults/world.ts';
import { inWorld } from './in-world.ts';
import { stateOf } from './state-of.ts';

const TAKEN = true;
const LOST = false;

test.each([
  ['a wait that is taken', [[5_000, TAKEN]], 0],
  ['a wait that is not', [[5_000, LOST]], 5_000],
  [
    'a wait that is taken when it is told again',
    [
      [5_000, LOST],
      [5_000, TAKEN],
    ],
    0,
  ],
  [
    'the longer one of two that are not',
    [
      [9_000, LOST],
      [5_000, LOST],
    ],
    9_000,
  ],
  [
    'a longer one that is not, before a shorter one that is',
    [
      [9_000, LOST],
      [5_000, TAKEN],
    ],
    9_000,
  ],
  [
    'a shorter one that is not, before a longer one that is',
    [
      [5_000, LOST],
      [9_000, TAKEN],
    ],
    0,
  ],
] as const)('knows which wait the gate has not: %s', async (_, told, expected) => {
  const given = new World().portsOf(new Worker(new World(), 'w', 60_000));
  let isTaken: boolean = TAKEN;
  const blockUntil = async () => {
    if (!isTaken) throw new Error('DynamoDB is out of order');
    return true;
  };
  const { ports, unrecorded } = notingWaits({ ...given, gates: { ...given.gates, blockUntil } });
  for (const [untilMs, taken] of told) {
    isTaken = taken;
    await ports.gates.blockUntil(CONNECTION, untilMs).catch(() => undefined);
  }
  expect(unrecorded).toEqual({ untilMs: expected });
});

test.each([
  ['a wait that it did not take', { isWaitUntold: true }, 0, 5_000],
  ['no wait that it has longer', { isWaitUntold: true }, 9_000, 9_000],
  ['no wait that the API did not ask for, such as that of a pace', {}, 0, 0],
] as const)('tells the gate %s', async (_, own, blockedUntilMs, expected) => {
  const world = new World();
  if (blockedUntilMs > 0) world.gates.blockUntil(CONNECTION, blockedUntilMs);
  await inWorld(world, (ports) => recordKeptWait(ports, stateOf(own), 5_000, { blockedUntilMs }));
  expect(world.gates.read(CONNECTION).blockedUntilMs).toBe(expected);
});
