import { expect, test } from '@jest/globals';
import { leastFirst, openRate } from './least-loss.ts';
import { type Bucket, bucket } from './realistic-limits.ts';

/** Answers to a burst at full speed, until a throttle, and to what was sent until that was answered. */
function answersOf({ ratePerSecond, burst }: Bucket, latencyMs: number): readonly string[] {
  const { ask } = bucket(ratePerSecond, burst).limiter();
  const sentMs = [...Array<number>(burst + 1).fill(0), ...Array<number>(burst + 1).fill(latencyMs)];
  return sentMs.map((atMs) => ask(1_000_000 + atMs).kind);
}

test.each([
  { ratePerSecond: 50, burst: 10, latencyMs: 20 },
  { ratePerSecond: 100, burst: 10, latencyMs: 20 },
  { ratePerSecond: 200, burst: 20, latencyMs: 20 },
  { ratePerSecond: 100, burst: 20, latencyMs: 150 },
])(
  'a limit that is faster than $ratePerSecond/s by what is open answers the same at $latencyMs ms',
  ({ latencyMs, ...slower }) => {
    const open = openRate(slower, latencyMs);
    const faster = (by: number) => ({
      burst: slower.burst,
      ratePerSecond: slower.ratePerSecond * (1 + by * open),
    });
    expect(answersOf(faster(0.99), latencyMs)).toEqual(answersOf(slower, latencyMs));
    expect(answersOf(faster(1.01), latencyMs)).not.toEqual(answersOf(slower, latencyMs));
  },
);

test.each([
  { pages: 200, latencyMs: 20, idealMs: 3_800, least: 1 + 2 * (0.8 / 3.8) },
  // What is under way tells the rate to a request in 150 ms.
  { pages: 200, latencyMs: 150, idealMs: 4_000, least: 1 + 0.8 / 4 + 1 / 7.5 },
  { pages: 1_000, latencyMs: 20, idealMs: 20_000, least: 1 + 2 * (0.8 / 20) },
])(
  'of $pages pages at $latencyMs ms any client takes $least times the ideal that does not know 50/s and burst 10',
  ({ latencyMs, idealMs, least, pages }) => {
    const line = { latencyMs, jitterMs: latencyMs / 10 };
    expect(leastFirst({ ...bucket(50, 10), pages }, line, idealMs)).toBeCloseTo(least, 9);
  },
);
