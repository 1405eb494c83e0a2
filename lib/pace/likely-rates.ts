/** Two percent apart, from a request in 50 seconds to a thousand a second, and the round numbers that people set. */
const RATE_STEP = 1.02;
const LEAST_PER_SECOND = 1 / 50;
const MOST_PER_SECOND = 1_000;
/** A round number is as likely as so many others, the most usual ones and those between them. */
const ROUND = 40;
const OTHER_ROUND = 12;

/** A rate, and how likely it is beside all others. */
interface LikelyRate {
  readonly perSecond: number;
  readonly share: number;
}

let known: readonly LikelyRate[] | undefined;

/** Rates of a token bucket, rising; made when they are first asked for: few processes see a throttle. */
export function likelyRates(): readonly LikelyRate[] {
  known ??= ratesOf();
  return known;
}

function ratesOf(): readonly LikelyRate[] {
  const steps = Math.log(MOST_PER_SECOND / LEAST_PER_SECOND) / Math.log(RATE_STEP);
  const any = Array.from({ length: Math.floor(steps) + 1 }, (_, step) => ({
    perSecond: LEAST_PER_SECOND * RATE_STEP ** step,
    share: 1,
  }));
  const round = [0.1, 1, 10, 100].flatMap((decade) => [
    ...[1, 2, 3, 4, 5, 6, 8].map((digit) => ({ perSecond: digit * decade, share: ROUND })),
    ...[1.2, 1.5, 2.5, 7, 7.5, 9].map((digit) => ({
      perSecond: digit * decade,
      share: OTHER_ROUND,
    })),
  ]);
  const rates = [...any, ...round].sort((a, b) => a.perSecond - b.perSecond);
  const total = rates.reduce((sum, { share }) => sum + share, 0);
  return rates.map(({ perSecond, share }) => ({ perSecond, share: share / total }));
}
