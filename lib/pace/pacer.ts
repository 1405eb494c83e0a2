import type { RateLimitFacts } from '../customers-api/throttle-wait.ts';

/** What a request came to, as far as the pace is concerned. */
export type Answered =
  | {
      readonly kind: 'admitted';
      readonly rateLimit?: RateLimitFacts | undefined;
      readonly atMs: number;
    }
  | {
      readonly kind: 'throttled';
      /** What the API asked for; `undefined` when it named no wait. */
      readonly waitSeconds: number | undefined;
      readonly atMs: number;
    }
  /** It tells nothing about the limit. */
  | { readonly kind: 'other' };

/** Decides when the next request may be sent. */
export interface Pacer {
  /** When the latest request was due; milliseconds since the epoch. */
  readonly lastAtMs: number;
  /** The rate that is kept; `undefined` for none. */
  readonly requestsPerSecond: number | undefined;
  /** When the next request is due, never before `nowMs`. */
  nextAtMs(nowMs: number): number;
  /** From when on several requests may be sent at once; `undefined` when waiting gives no more than one. */
  burstAtMs(nowMs: number): number | undefined;
  /** Notes a request that is sent now; the result is to be told what it came to. */
  sent(nowMs: number): (answered: Answered) => void;
}
