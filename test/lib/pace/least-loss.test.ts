import { expect, test } from '@jest/globals';
import { leastFirst, leastLater, openRate } from './least-loss.ts';
import { type Bucket, bucket, changing } from './realistic-limits.ts';

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

test.each([
  // 140 pages at the old rate, then two throttles of the new limit: the second one tells two rates apart.
  { latencyMs: 20, later: (140 / 20 + 860 / 80 + 2 * 0.875) / 12.5 },
  // Of 80 and 86.7 a second, who keeps the lower one takes less longer than a throttle costs.
  {
    latencyMs: 150,
    later: (140 / 20 + 860 / 80 + 0.875 + 860 / 80 - 860 / (80 + 1000 / 150)) / 12.5,
  },
])(
  'where 20/s become 80/s just after a trial, any client takes $later times the ideal at $latencyMs ms in the next export',
  ({ latencyMs, later }) => {
    const line = { latencyMs, jitterMs: latencyMs / 10 };
    const limit = changing(bucket(20, 10), bucket(80, 10), 500);
    expect(leastLater(limit, line)).toBeCloseTo(later, 9);
    // Until then it is not found, and the first limit throttles twice.
    expect(leastFirst(limit, line, 30_000)).toBeCloseTo((1_000 / 20 + 2 * 0.5) / 30, 9);
  },
);
