import { type PlainLimit, plainLimit } from '../pace/plain-limit.ts';
import {
  type Admitted,
  blocked,
  type ConnectionOptions,
  type NotSent,
  openAdmitted,
} from './admitted-connection.ts';
import { MAX_GATE_AGE_MS } from './gate-look.ts';
import type { Gate } from './ports.ts';
import { takePlaces } from './take-places.ts';

/** Of the time that the caller has: a place that comes later leaves none for the answer. */
const LONGEST_WAIT_SHARE = 0.5;

/**
 * Opens a connection for one request and waits for the place of the request, if a limit is known.
 *
 * A place is advice: a request whose place cannot be stored is sent without one. The gate is not: after a longer wait
 * it is read again.
 *
 * @param rejected Key versions that failed authentication a moment ago.
 * @returns `blocked` when there is no place in time.
 */
export async function openInPlace(
  options: ConnectionOptions,
  rejected: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<Admitted | NotSent> {
  const { clock } = options;
  const admitted = await openAdmitted(options, rejected);
  if (admitted.kind !== 'admitted' || options.hasPlaces === true) return admitted;
  const own = admitted.opened.requestsPerSecond ?? options.requestsPerSecond;
  const limit = limitFor(own, admitted.gate);
  if (limit === undefined) return admitted;
  const openedAtMs = clock.now();
  const atMs = await placeOf(options, admitted.gate, limit, signal);
  if (typeof atMs !== 'number') return atMs;
  const waitMs = Math.ceil(atMs - clock.now());
  if (waitMs > 0) await clock.sleep(waitMs, signal);
  return clock.now() - openedAtMs <= MAX_GATE_AGE_MS ? admitted : openAdmitted(options, rejected);
}

/** The limit that all callers of a connection keep together; `undefined` where none is set or learned. */
export function limitFor(
  requestsPerSecond: number | undefined,
  { pace }: Pick<Gate, 'pace'>,
): PlainLimit | undefined {
  if (requestsPerSecond === undefined) return plainLimit(pace);
  return { kind: 'bucket', requestsPerSecond, burst: 1 };
}

/** When the request may be sent, or that it may not in time. Under a window it waits for the next one. */
async function placeOf(
  options: ConnectionOptions,
  { places: seen, blockedUntilMs: openAtMs }: Gate,
  limit: PlainLimit,
  signal: AbortSignal,
): Promise<number | NotSent> {
  const { connection, clock, recordUntilMs, onGateError } = options;
  const beganAtMs = clock.now();
  const latestAtMs = beganAtMs + Math.max(0, recordUntilMs - beganAtMs) * LONGEST_WAIT_SHARE;
  const wanted = {
    connection,
    seen,
    openAtMs,
    limit,
    caller: 'live' as const,
    count: 1,
    latestAtMs,
  };
  for (;;) {
    const earliestAtMs = clock.now();
    const taken = await takePlaces(options, { ...wanted, earliestAtMs }).catch(onGateError);
    if (taken?.kind === 'granted') return taken.atMs[0] ?? earliestAtMs;
    if (taken?.kind !== 'full' || signal.aborted) return earliestAtMs;
    if (taken.againAtMs > latestAtMs) {
      return { ...blocked(options, taken.againAtMs), isLimitUsedUp: true };
    }
    await clock.sleep(Math.ceil(taken.againAtMs - clock.now()), signal);
  }
}
