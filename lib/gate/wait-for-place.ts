import { limitFor } from '../pace/plain-limit.ts';
import { type Blocked, blocked } from './not-sent.ts';
import { sleepUntil } from './pause.ts';
import type { Clock, GateLook } from './ports.ts';
import { type PlacePorts, takePlaces } from './take-places.ts';

export interface LiveRequest {
  readonly connection: string;
  readonly seen: GateLook;
  /** A rate that is set. @default - what the connection's exports learned */
  readonly requestsPerSecond: number | undefined;
  /** A place that comes later is of no use. */
  readonly latestAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Takes the next place for a request that somebody waits for, and waits for it. A request whose place cannot be stored
 * is sent without one.
 *
 * @returns The latest look at the gate, which may be old by now; `undefined` where no limit is known.
 */
export async function waitForPlace(
  ports: PlacePorts & { readonly clock: Clock },
  { connection, seen, requestsPerSecond, latestAtMs, signal }: LiveRequest,
): Promise<{ readonly kind: 'in-place'; readonly look: GateLook } | Blocked | undefined> {
  const { clock } = ports;
  const limit = limitFor(requestsPerSecond, seen.pace);
  if (limit === undefined) return undefined;
  const wanted = { connection, limit, caller: 'live' as const, count: 1, latestAtMs };
  let look = seen;
  for (;;) {
    const earliestAtMs = clock.now();
    const taken = await takePlaces(ports, { ...wanted, seen: look, earliestAtMs });
    look = taken.look;
    if (look.blockedUntilMs > clock.now()) return blocked(clock, look.blockedUntilMs);
    if (taken.kind === 'full' && taken.againAtMs > latestAtMs) {
      return { ...blocked(clock, taken.againAtMs), isLimitUsedUp: true };
    }
    if (taken.kind === 'granted') await sleepUntil(clock, taken.atMs[0] ?? earliestAtMs, signal);
    if (taken.kind !== 'full' || signal.aborted) return { kind: 'in-place', look };
    // Under a window: the next one.
    await sleepUntil(clock, taken.againAtMs, signal);
  }
}
