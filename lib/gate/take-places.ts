import {
  decidePlaces,
  type GrantedPlaces,
  grantedPlaces,
  type PlaceRequest,
  type Places,
} from '../pace/places.ts';
import type { Clock, Gates } from './ports.ts';

export interface PlacePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly gates: Pick<Gates, 'read' | 'changePlaces'>;
}

export interface WantedPlaces extends Omit<PlaceRequest, 'nowMs'> {
  readonly connection: string;
  /** As the gate had them when it was read last. */
  readonly seen: Places | undefined;
}

/** With the places as they are now, as far as is known. */
export type TakenPlaces = (
  | ({ readonly kind: 'granted' } & GrantedPlaces)
  | { readonly kind: 'full'; readonly againAtMs: number }
  /** The places changed meanwhile, again and again. */
  | { readonly kind: 'contended' }
) & { readonly places: Places | undefined };

/**
 * A change is not made when others have just used up what it counts on, or have begun what it would begin. Twice in a
 * row is rare.
 */
const MAX_TRIES = 8;

/**
 * Takes places for requests, by one conditional write: no two callers ever get the same one. Where the answer of the
 * write is lost, its places are.
 *
 * @throws What a port throws.
 */
export async function takePlaces(
  { clock, gates }: PlacePorts,
  { connection, seen, ...wanted }: WantedPlaces,
): Promise<TakenPlaces> {
  let places = seen;
  let { earliestAtMs, openAtMs } = wanted;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const nowMs = clock.now();
    earliestAtMs = Math.max(earliestAtMs, openAtMs, nowMs);
    const request = { ...wanted, earliestAtMs, openAtMs, nowMs };
    const decision = decidePlaces(places, request);
    const { change } = decision;
    const after = change && (await gates.changePlaces(connection, change));
    if (decision.kind === 'full') return { ...decision, places: after ?? places };
    if (after !== undefined) {
      const granted = grantedPlaces(request, decision.count, after);
      return { kind: 'granted', ...granted, places: after };
    }
    const gate = await gates.read(connection);
    places = gate.places;
    openAtMs = gate.blockedUntilMs;
  }
  // The last look may have shown a wait that nobody knew of before.
  if (openAtMs > clock.now()) return { kind: 'full', againAtMs: openAtMs, places };
  return { kind: 'contended', places };
}
