import type { RateLimitFacts } from '../customers-api/throttle-wait.ts';
import type { GatePace } from './gate-pace.ts';
import type { PlainLimit } from './plain-limit.ts';

export type Answered =
  | {
      readonly kind: 'admitted';
      readonly rateLimit?: RateLimitFacts | undefined;
      readonly atMs: number;
    }
  | {
      readonly kind: 'throttled';
      /** `undefined` when the API stated no wait. */
      readonly waitSeconds: number | undefined;
      readonly rateLimit?: RateLimitFacts | undefined;
      readonly atMs: number;
    }
  /** Shows nothing about the limit. */
  | { readonly kind: 'other' };

/** A request that a {@link Pacer} has counted. */
export interface SentRequest {
  /** Its bytes leave: its connection may have had to be made first. @default when it was counted */
  readonly left: (nowMs: number) => void;
  readonly answered: (answered: Answered) => void;
}

export interface Pacer {
  /** When the latest request was due; milliseconds since the epoch. */
  readonly lastAtMs: number;
  /** The current rate; `undefined` for none. */
  readonly requestsPerSecond: number | undefined;
  /** What it keeps, for callers that share it; `undefined` for none, or one that has no rate. */
  readonly limit: PlainLimit | undefined;
  /** Whether the latest throttles came by chance, most likely: each wait is as long whatever runs. @default false */
  readonly isByChance?: boolean;
  /** What was learned, to be kept for the next step; `undefined` where nothing was. @default nothing ever is */
  readonly known?: GatePace | undefined;
  /** When the next request is due, never before `nowMs`. */
  nextAtMs(nowMs: number): number;
  /** When several requests may be sent at once; `undefined` when a wait allows only one. */
  burstAtMs(nowMs: number): number | undefined;
  /** Counts a request that is sent now. */
  sent(nowMs: number): SentRequest;
  /** Counts requests that other callers of the connection have sent, or are about to send, from `atMs` on. */
  spentElsewhere(count: number, atMs: number): void;
  /** Another caller of the connection was throttled. */
  throttledElsewhere(): void;
}
