import type { AuthenticationFailure, Throttled } from './outcome.ts';
import type { Reaction } from './reaction.ts';

/** What a client remembers of the API's answers, so that none of its callers asks too early. */
export interface RequestGate {
  /** The outcome of a request that must not be made now; `undefined` when it may be made. */
  readonly refusal: (nowMs: number) => Throttled | AuthenticationFailure | undefined;
  /** Takes note of what an answer's status and headers ask for; `undefined` for a 2xx. */
  readonly remember: (reaction: Reaction | undefined, nowMs: number) => void;
  /** Throttles in a row whose wait we had to guess. */
  readonly guesses: () => number;
}

/** Makes the gate of one client, that is of one key: open at first, closed for good by a rejected key. */
export function createRequestGate(): RequestGate {
  let blockedUntilMs = 0;
  let throttle: Throttled | undefined;
  let rejection: AuthenticationFailure | undefined;
  let guesses = 0;
  return {
    refusal: (nowMs) => {
      if (rejection !== undefined) return rejection;
      if (throttle === undefined || nowMs >= blockedUntilMs) return undefined;
      const retryAfterSeconds = Math.ceil((blockedUntilMs - nowMs) / 1000);
      return { ...throttle, retryAfterSeconds };
    },
    remember: (reaction, nowMs) => {
      if (reaction?.kind === 'authentication-failure') rejection = reaction;
      else if (reaction?.kind === 'throttled') {
        if (reaction.waitSource !== 'backoff') guesses = 0;
        // Requests that were under way together were throttled once.
        else if (nowMs >= blockedUntilMs) guesses++;
        const untilMs = nowMs + reaction.retryAfterSeconds * 1000;
        if (untilMs > blockedUntilMs) [blockedUntilMs, throttle] = [untilMs, reaction];
      } else guesses = 0;
    },
    guesses: () => guesses,
  };
}
