import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SharedClock } from '../../../lib/gate/shared-clock.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

/** An answer: how long after the one before it was asked for, how long each way took. */
const answer = fc.record({
  afterMs: fc.integer({ min: 0, max: 600_000 }),
  thereMs: fc.nat(5_000),
  backMs: fc.nat(5_000),
});

const process = fc.record({
  aheadMs: fc.integer({ min: -100_000, max: 100_000 }),
  /** How much faster than the ledger's clock its own one runs. */
  drift: fc.double({ min: -0.0004, max: 0.0004, noNaN: true }),
  answers: fc.array(answer, { minLength: 1, maxLength: 12 }),
});

type Process = typeof process extends fc.Arbitrary<infer T> ? T : never;

/** What a process makes of the answers that it has heard, at a time of the ledger's clock. */
function listen({ aheadMs, drift, answers }: Process, endMs: number) {
  const machineOf = (ms: number) => Math.floor(NOW_MS + (ms - NOW_MS) * (1 + drift) + aheadMs);
  const tookMs = answers.reduce((sum, each) => sum + each.afterMs + each.thereMs + each.backMs, 0);
  let atMs = endMs - tookMs;
  const clock = new SharedClock(() => machineOf(atMs));
  const setTimes: number[] = [];
  for (const { afterMs, thereMs, backMs } of answers) {
    const sentMs = atMs + afterMs;
    const answeredMs = sentMs + thereMs;
    atMs = answeredMs + backMs;
    clock.heard(Math.floor(answeredMs / 1000) * 1000, machineOf(sentMs), machineOf(atMs));
    setTimes.push(clock.timesSet);
  }
  const ownOf = (ms: number) => {
    atMs = ms;
    return clock.now();
  };
  return { clock, ownOf, setTimes };
}

test('no process is at the end of a wait before the one that told of it, whatever their clocks show', () => {
  fc.assert(
    fc.property(process, process, fc.nat(999), fc.nat(3_600_000), (teller, reader, ms, waitMs) => {
      const toldMs = NOW_MS + ms;
      const readMs = toldMs + 1_000;
      const told = listen({ ...teller, drift: 0 }, toldMs);
      const heard = listen({ ...reader, drift: 0 }, readMs);
      const sharedMs = told.clock.latestAt(told.ownOf(toldMs) + waitMs);
      const reachedMs = heard.clock.reached(sharedMs);
      expect(reachedMs).toBeGreaterThanOrEqual(heard.ownOf(toldMs + waitMs));
    }),
    { numRuns: 1_000 },
  );
});

test('the shared clock is between the two bounds, also of a clock that runs slow or fast', () => {
  fc.assert(
    fc.property(process, fc.nat(999), fc.nat(60_000), (one, ms, laterMs) => {
      const { clock, ownOf } = listen(one, NOW_MS + ms);
      const atMs = NOW_MS + ms + laterMs;
      const ownMs = ownOf(atMs);
      // The machine's clock shows whole milliseconds.
      expect(clock.latestAt(ownMs)).toBeGreaterThanOrEqual(atMs - 1);
      expect(clock.reached(atMs)).toBeGreaterThanOrEqual(ownMs - 1);
    }),
    { numRuns: 1_000 },
  );
});

/** Quick ones: what is unknown of the ledger's clock is its whole second, and some milliseconds. */
const quick = fc.array(
  fc.record({ afterMs: fc.nat(600_000), thereMs: fc.nat(50), backMs: fc.nat(50) }),
  { minLength: 1, maxLength: 12 },
);
const anyClock = fc.oneof(
  fc.integer({ min: -10_000, max: 10_000 }),
  fc.integer({ min: -40_000_000_000, max: 40_000_000_000 }),
);

test('our own time is that of the ledger within some 3 s, whatever the clock of a machine shows', () => {
  fc.assert(
    fc.property(process, quick, anyClock, fc.nat(999), (one, later, aheadMs, ms) => {
      const atMs = NOW_MS + ms;
      // Slow ones before tell less.
      const answers = [...one.answers, ...later];
      const { ownOf } = listen({ ...one, drift: 0, answers, aheadMs }, atMs);
      // What it is set from, and what is open when it is not set any more.
      expect(Math.abs(ownOf(atMs) - atMs)).toBeLessThanOrEqual(1_000 + 2_000);
    }),
    { numRuns: 1_000 },
  );
});

test('our own time is that of the machine to the millisecond while it may be right', () => {
  fc.assert(
    fc.property(process, quick, fc.integer({ min: -999, max: 999 }), (one, answers, aheadMs) => {
      const { ownOf } = listen({ ...one, drift: 0, answers, aheadMs }, NOW_MS);
      expect(ownOf(NOW_MS)).toBe(NOW_MS + aheadMs);
    }),
    { numRuns: 1_000 },
  );
});

test('our own time jumps with the first answer alone, however many narrow what is known', () => {
  fc.assert(
    fc.property(process, quick, (one, answers) => {
      expect(new Set(listen({ ...one, answers }, NOW_MS).setTimes).size).toBe(1);
    }),
    { numRuns: 1_000 },
  );
});

const AHEAD_MS = 15_000;

test('knows the shared clock within 2 ms after some answers at any time of a second', () => {
  const endMs = NOW_MS + 20_000;
  const clock = new SharedClock(() => endMs + AHEAD_MS);
  for (let atMs = NOW_MS; atMs < endMs; atMs += 331) {
    clock.heard(Math.floor(atMs / 1000) * 1000, atMs + AHEAD_MS, atMs + AHEAD_MS + 1);
  }
  const ownMs = clock.now();
  expect(clock.latestAt(ownMs) - endMs).toBeLessThanOrEqual(20);
  expect(ownMs - clock.reached(endMs)).toBeLessThanOrEqual(20);
});

test('begins anew when a clock was set', () => {
  const clock = new SharedClock(() => NOW_MS + 10_010);
  clock.heard(NOW_MS, NOW_MS + 5_000, NOW_MS + 5_010);
  expect(clock.now()).toBeLessThan(NOW_MS + 6_000);
  clock.heard(NOW_MS + 10_000, NOW_MS + 10_000, NOW_MS + 10_010);
  expect(Math.abs(clock.now() - (NOW_MS + 10_010))).toBeLessThan(1_000);
  expect(clock.reached(NOW_MS + 20_000) - clock.now()).toBe(10_000);
  expect(clock.latestAt(clock.now()) - (NOW_MS + 10_010)).toBe(999);
});

test('takes the two for the same clock while nothing was heard', () => {
  const clock = new SharedClock(() => NOW_MS);
  expect(clock.now()).toBe(NOW_MS);
  expect(clock.reached(NOW_MS)).toBe(NOW_MS);
  expect(clock.latestAt(NOW_MS)).toBe(NOW_MS);
});
