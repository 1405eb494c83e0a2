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

/**
 * What one client, that is one key, remembers of the API's answers, so that none of its callers asks too early. A
 * rejected key stays in it.
 */
export function createClientMemory() {
  let blockedUntilMs = 0;
  let throttle: Throttled | undefined;
  let rejection: AuthenticationFailure | undefined;
  let guesses = 0;
  return {
    /** The outcome of a request that must not be made now; `undefined` when it may be made. */
    refusal: (nowMs: number): Throttled | AuthenticationFailure | undefined => {
      if (rejection !== undefined) return rejection;
      if (throttle === undefined || nowMs >= blockedUntilMs) return undefined;
      const retryAfterSeconds = Math.ceil((blockedUntilMs - nowMs) / 1000);
      return { ...throttle, retryAfterSeconds, isHeldBack: true };
    },
    remember: (heard: Heard, nowMs: number): void => {
      const { reaction } = heard;
      if (reaction?.kind === 'authentication-failure') rejection = reaction;
      if (reaction?.kind !== 'throttled' || reaction.waitSource !== 'backoff') guesses = 0;
      // Requests that were under way together were throttled once.
      else if (nowMs >= blockedUntilMs) guesses++;
      const asked = throttleIn(heard);
      if (asked === undefined) return;
      const untilMs = nowMs + asked.retryAfterSeconds * 1000;
      if (untilMs > blockedUntilMs) [blockedUntilMs, throttle] = [untilMs, asked];
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
