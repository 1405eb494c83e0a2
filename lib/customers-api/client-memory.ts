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

/** What a client remembers of the API's answers, so that none of its callers asks too early. */
export interface ClientMemory {
  /** The outcome of a request that must not be made now; `undefined` when it may be made. */
  readonly refusal: (nowMs: number) => Throttled | AuthenticationFailure | undefined;
  readonly remember: (heard: Heard, nowMs: number) => void;
  /** Throttles in a row whose wait we had to guess. */
  readonly guesses: () => number;
}

/** Makes the memory of one client, that is of one key: empty at first; a rejected key stays in it. */
export function createClientMemory(): ClientMemory {
  let blockedUntilMs = 0;
  let throttle: Throttled | undefined;
  let rejection: AuthenticationFailure | undefined;
  let guesses = 0;
  return {
    refusal: (nowMs) => {
      if (rejection !== undefined) return rejection;
      if (throttle === undefined || nowMs >= blockedUntilMs) return undefined;
      const retryAfterSeconds = Math.ceil((blockedUntilMs - nowMs) / 1000);
      return { ...throttle, retryAfterSeconds, isHeldBack: true };
    },
    remember: (heard, nowMs) => {
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
    guesses: () => guesses,
  };
}

/** A wait that comes with anything but a throttle is kept all the same. */
function throttleIn({ status, reaction, wait }: Heard): Throttled | undefined {
  if (reaction?.kind === 'throttled') return reaction;
  return wait?.waitSource === 'retry-after' ? { kind: 'throttled', status, ...wait } : undefined;
}
