import {
  decidePlaces,
  type PlaceDecision,
  type PlaceRequest,
  type Places,
} from '../pace/places.ts';
import type { Clock, Gates, Random } from './ports.ts';

export interface PlacePorts {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly random: Random;
  readonly gates: Pick<Gates, 'read' | 'replacePlaces'>;
}

export interface WantedPlaces
  extends Pick<
    PlaceRequest,
    'limit' | 'caller' | 'count' | 'earliestAtMs' | 'latestAtMs' | 'openAtMs'
  > {
  readonly connection: string;
  /** As the gate had them when it was read last. */
  readonly seen: Places | undefined;
}

/** With the places as they are now, as far as is known. */
export type TakenPlaces = (
  | PlaceDecision
  /** Others were faster again and again. */
  | { readonly kind: 'contended' }
) & { readonly places: Places | undefined };

/** Each conflict lets somebody else go on, so that as many callers at once are served. */
const MAX_TRIES = 20;
/** About two calls of the ledger. */
const RETRY_MS = 10;

/**
 * Takes places for requests, by one conditional write: no two callers ever get the same one. A write whose answer
 * was lost is recognized by its token; if others took places meanwhile, its places are lost.
 *
 * @throws What a port throws.
 */
export async function takePlaces(
  { clock, random, gates }: PlacePorts,
  { connection, seen, ...wanted }: WantedPlaces,
): Promise<TakenPlaces> {
  let places = seen;
  let { earliestAtMs, openAtMs } = wanted;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const nowMs = clock.now();
    earliestAtMs = Math.max(earliestAtMs, openAtMs, nowMs);
    const decision = decidePlaces(
      places,
      { ...wanted, earliestAtMs, openAtMs, nowMs },
      random.token(),
    );
    if (decision.kind === 'full') {
      if (decision.next !== undefined) {
        await gates.replacePlaces(connection, decision.next, places);
      }
      return { ...decision, places };
    }
    const taken = { ...decision, places: decision.next };
    if (await gates.replacePlaces(connection, decision.next, places)) return taken;
    const gate = await gates.read(connection);
    if (gate.places?.writeToken === decision.next.writeToken) return taken;
    places = gate.places;
    openAtMs = gate.blockedUntilMs;
    await clock.sleep(random.fraction() * RETRY_MS, new AbortController().signal);
  }
  return { kind: 'contended', places };
}
