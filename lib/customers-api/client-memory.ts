import type { AuthenticationFailure, Throttled } from './outcome.ts';
import type { Reaction } from './reaction.ts';
import type { ThrottleWait } from './throttle-wait.ts';

/** What the status and the headers of an answer say. */
interface Heard {
  readonly status: number;
  /** `undefined` for a 2xx. */
  readonly reaction: Reaction | undefined;
  readonly wait: ThrottleWait | undefined;
}

/** One moment by two clocks. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** By a clock that nobody sets: milliseconds since any moment. */
  readonly elapsedMs: number;
}

/**
 * What one client, that is one key, remembers of the API's answers, so that none of its callers asks too early. A
 * rejected key stays in it. A wait is over when it is by both clocks: the system's clock may be set forward meanwhile, and the
 * other one may stand still while the machine does.
 */
export function createClientMemory() {
  const blockedUntil = { nowMs: Number.NEGATIVE_INFINITY, elapsedMs: Number.NEGATIVE_INFINITY };
  const leftMs = ({ nowMs, elapsedMs }: Moment) =>
    Math.max(blockedUntil.nowMs - nowMs, blockedUntil.elapsedMs - elapsedMs);
  let throttle: Throttled | undefined;
  let rejection: AuthenticationFailure | undefined;
  let guesses = 0;
  return {
    /** The outcome of a request that must not be made now; `undefined` when it may be made. */
    refusal: (at: Moment): Throttled | AuthenticationFailure | undefined => {
      if (rejection !== undefined) return rejection;
      if (throttle === undefined || leftMs(at) <= 0) return undefined;
      const retryAfterSeconds = Math.ceil(leftMs(at) / 1000);
      return { ...throttle, retryAfterSeconds, isHeldBack: true };
    },
    remember: (heard: Heard, at: Moment): void => {
      const { reaction } = heard;
      if (reaction?.kind === 'authentication-failure') rejection = reaction;
      if (reaction?.kind !== 'throttled' || reaction.waitSource !== 'backoff') guesses = 0;
      // Requests that were under way together were throttled once.
      else if (leftMs(at) <= 0) guesses++;
      const asked = throttleIn(heard);
      if (asked === undefined) return;
      const waitMs = asked.retryAfterSeconds * 1000;
      if (waitMs > leftMs(at)) throttle = asked;
      blockedUntil.nowMs = Math.max(blockedUntil.nowMs, at.nowMs + waitMs);
      blockedUntil.elapsedMs = Math.max(blockedUntil.elapsedMs, at.elapsedMs + waitMs);
    },
    /** Throttles in a row whose wait we had to guess. */
    guesses: () => guesses,
  };
}

/** A wait that comes with anything but a throttle is kept all the same. */
function throttleIn({ status, reaction, wait }: Heard): Throttled | undefined {
  if (reaction?.kind === 'throttled') return reaction;
  return wait?.waitSource === 'retry-after' ? { kind: 'throttled', status, ...wait } : undefined;
}
