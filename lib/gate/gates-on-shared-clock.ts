import { defined } from '../defined.ts';
import type { Bounds, PlaceChange, Places } from '../pace/places.ts';
import type { Gate, GateOpenings, Gates } from './ports.ts';
import type { SharedClock } from './shared-clock.ts';

/** The end of a wait by our own clock and by the shared one. */
interface ToldEnd extends Pick<SharedClock, 'timesSet'> {
  readonly localMs: number;
  readonly sharedMs: number;
}

/**
 * Gates that keep the end of a wait by the shared clock, for callers that tell and read it by their own. The end
 * that one process tells is never earlier for another, however far their clocks are apart: it is later by what
 * the two do not know of the shared clock, together 2 s at most and less with every answer of the ledger. Places are a matter of milliseconds, so their times are
 * changed only while our own clock is certainly wrong.
 */
export function onSharedClock<Shared extends Gates & GateOpenings>(
  gates: Shared,
  clock: SharedClock,
): Shared {
  /** The wait that this process told last, for each connection: by our own clock nothing is unknown of it. */
  const told = new Map<string, ToldEnd>();
  const byOurClock = (connection: string, gate: Gate): Gate => {
    const { blockedUntilMs } = gate;
    const own = told.get(connection);
    if (blockedUntilMs === 0) return gate;
    // Not once a clock was set: then our own no longer shows how long ago that was.
    if (own?.sharedMs === blockedUntilMs && own.timesSet === clock.timesSet) {
      return { ...gate, blockedUntilMs: own.localMs };
    }
    return { ...gate, blockedUntilMs: clock.reached(blockedUntilMs) };
  };

  const withPlaces = (gate: Gate): Gate =>
    gate.places === undefined
      ? gate
      : { ...gate, places: movedTimes(gate.places, -clock.certainAheadMs()) };

  return {
    ...gates,
    read: async (connection) => withPlaces(byOurClock(connection, await gates.read(connection))),
    changePlaces: async (connection, change) => {
      const changed = movedChange(change, clock.certainAheadMs());
      const gate = await gates.changePlaces(connection, changed);
      return gate && withPlaces(byOurClock(connection, gate));
    },
    blockUntil: async (connection, localMs, asSent) => {
      const sharedMs = clock.latestAt(localMs);
      const { timesSet } = clock;
      const isRaised = await gates.blockUntil(connection, sharedMs, asSent);
      if (isRaised) told.set(connection, { timesSet, localMs, sharedMs });
      return isRaised;
    },
    open: async (connection, openingOf) => {
      const gate = await gates.open(connection, (before) =>
        openingOf(byOurClock(connection, before)),
      );
      return byOurClock(connection, gate);
    },
  };
}

function movedChange({ expected, set, add }: PlaceChange, byMs: number): PlaceChange {
  if (expected === 'none') return { expected, set: movedTimes(set, byMs), add };
  const { fullAtMs, windowFromMs } = expected;
  const moved = defined({
    fullAtMs: fullAtMs && movedBounds(fullAtMs, byMs),
    windowFromMs: windowFromMs && movedBounds(windowFromMs, byMs),
  });
  return { expected: { ...expected, ...moved }, set: movedTimes(set, byMs), add };
}

function movedBounds({ atLeast, atMost }: Bounds, byMs: number): Bounds {
  return defined({ atLeast: movedTime(atLeast, byMs), atMost: movedTime(atMost, byMs) });
}

function movedTimes<T extends Partial<Places>>(places: T, byMs: number): T {
  const { fullAtMs, windowFromMs, othersAtMs } = places;
  const times = defined({
    fullAtMs: movedTime(fullAtMs, byMs),
    windowFromMs: movedTime(windowFromMs, byMs),
    othersAtMs: movedTime(othersAtMs, byMs),
  });
  return { ...places, ...times };
}

/** 0 is no time. */
function movedTime(ms: number | undefined, byMs: number): number | undefined {
  return ms === undefined || ms === 0 ? ms : Math.max(0, ms + byMs);
}
