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

/** The clock of a process that has heard its answers, and how its own time is told from that of the ledger. */
function listen({ aheadMs, drift, answers }: Process, endMs: number) {
  const localOf = (ms: number) => Math.floor(NOW_MS + (ms - NOW_MS) * (1 + drift) + aheadMs);
  const clock = new SharedClock();
  const tookMs = answers.reduce((sum, each) => sum + each.afterMs + each.thereMs + each.backMs, 0);
  let atMs = endMs - tookMs;
  for (const { afterMs, thereMs, backMs } of answers) {
    const sentMs = atMs + afterMs;
    const answeredMs = sentMs + thereMs;
    atMs = answeredMs + backMs;
    clock.heard(Math.floor(answeredMs / 1000) * 1000, localOf(sentMs), localOf(atMs));
  }
  return { clock, localOf };
}

test('no process is at the end of a wait before the one that told of it, whatever their clocks show', () => {
  fc.assert(
    fc.property(process, process, fc.nat(999), fc.nat(3_600_000), (teller, reader, ms, waitMs) => {
      const toldMs = NOW_MS + ms;
      const readMs = toldMs + 1_000;
      const told = listen({ ...teller, drift: 0 }, toldMs);
      const heard = listen({ ...reader, drift: 0 }, readMs);
      const toldLocalMs = told.localOf(toldMs);
      const sharedMs = told.clock.latestAt(toldLocalMs + waitMs, toldLocalMs);
      const reachedMs = heard.clock.reached(sharedMs, heard.localOf(readMs));
      expect(reachedMs).toBeGreaterThanOrEqual(heard.localOf(toldMs + waitMs));
    }),
    { numRuns: 1_000 },
  );
});

test('the shared clock is between the two bounds, also of a clock that runs slow or fast', () => {
  fc.assert(
    fc.property(process, fc.nat(999), fc.nat(60_000), (one, ms, laterMs) => {
      const { clock, localOf } = listen(one, NOW_MS + ms);
      const atMs = NOW_MS + ms + laterMs;
      // Our own clock shows whole milliseconds.
      expect(clock.latestAt(localOf(atMs), localOf(atMs))).toBeGreaterThanOrEqual(atMs - 1);
      expect(clock.reached(atMs, localOf(atMs))).toBeGreaterThanOrEqual(localOf(atMs) - 1);
    }),
    { numRuns: 1_000 },
  );
});

test('knows the shared clock within 2 ms after some answers at any time of a second', () => {
  const clock = new SharedClock();
  for (let atMs = NOW_MS; atMs < NOW_MS + 20_000; atMs += 331) {
    clock.heard(Math.floor(atMs / 1000) * 1000, atMs + 15_000, atMs + 15_001);
  }
  const localMs = NOW_MS + 20_000 + 15_000;
  expect(clock.latestAt(localMs, localMs) - (NOW_MS + 20_000)).toBeLessThanOrEqual(20);
  expect(localMs - clock.reached(NOW_MS + 20_000, localMs)).toBeLessThanOrEqual(20);
});

test('begins anew when a clock was set', () => {
  const clock = new SharedClock();
  clock.heard(NOW_MS, NOW_MS + 5_000, NOW_MS + 5_010);
  clock.heard(NOW_MS + 10_000, NOW_MS + 10_000, NOW_MS + 10_010);
  expect(clock.reached(NOW_MS + 20_000, NOW_MS + 10_010)).toBe(NOW_MS + 20_010);
  expect(clock.latestAt(NOW_MS + 20_000, NOW_MS + 10_010)).toBe(NOW_MS + 20_999);
});

test('takes the two for the same clock while nothing was heard', () => {
  const clock = new SharedClock();
  expect(clock.reached(NOW_MS, NOW_MS)).toBe(NOW_MS);
  expect(clock.latestAt(NOW_MS, NOW_MS)).toBe(NOW_MS);
});
