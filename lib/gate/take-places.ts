import { decidePlaces, type GrantedPlaces, grantedPlaces } from '../pace/decide-places.ts';
import type { PlaceRequest } from '../pace/places.ts';
import { lookAtGate } from './gate-look.ts';
import type { Clock, GateLook, Gates } from './ports.ts';

export interface PlacePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly gates: Pick<Gates, 'read' | 'changePlaces'>;
}

export interface WantedPlaces extends Omit<PlaceRequest, 'nowMs' | 'openAtMs'> {
  readonly connection: string;
  readonly seen: GateLook;
}

/** With the latest look at the gate: a change of the places shows the gate too, such as a wait that came meanwhile. */
export type TakenPlaces = (
  | ({ readonly kind: 'granted' } & GrantedPlaces)
  | { readonly kind: 'full'; readonly againAtMs: number }
  /** The places changed meanwhile, again and again. */
  | { readonly kind: 'contended' }
  /** The ledger did not answer. A place is advice: go on without one. */
  | { readonly kind: 'failed' }
) & { readonly look: GateLook };

/**
 * A change is not made when others have just used up what it counts on, or have begun what it would begin. Twice in a
 * row is rare.
 */
const MAX_TRIES = 8;

/**
 * Takes places for requests, by one conditional write: no two callers ever get the same one. Where the answer of the
 * write is lost, its places are. It never rejects.
 */
export async function takePlaces(
  ports: PlacePorts,
  { connection, seen, ...wanted }: WantedPlaces,
): Promise<TakenPlaces> {
  const { clock, gates } = ports;
  let look = seen;
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const nowMs = clock.now();
      const openAtMs = look.blockedUntilMs;
      const earliestAtMs = Math.max(wanted.earliestAtMs, openAtMs, nowMs);
      const request = { ...wanted, earliestAtMs, openAtMs, nowMs };
      const decision = decidePlaces(look.places, request);
      const { change } = decision;
      const gate = change && (await gates.changePlaces(connection, change));
      if (gate !== undefined) look = { ...gate, atMs: nowMs };
      if (decision.kind === 'full') return { ...decision, look };
      if (gate?.places !== undefined) {
        const granted = grantedPlaces(request, decision.count, gate.places);
        return { kind: 'granted', ...granted, look };
      }
      look = await lookAtGate(ports, connection);
    }
    return { kind: 'contended', look };
  } catch {
    return { kind: 'failed', look };
  }
}
