/** For how long stated limits hold requests back before one goes out all the same. */
export interface Patience {
  readonly patienceMs: number;
  /** In all, since a header said that something is left. */
  readonly heldMs: number;
  /** 0: nothing is held back. */
  readonly heldFromMs: number;
}

/** What is stated and not there costs twice this at most. */
export const NEW_PATIENCE: Patience = { patienceMs: 120_000, heldMs: 0, heldFromMs: 0 };
const MAX_PATIENCE_MS = 3_600_000;
const MIN_PATIENCE_MS = 100;

/** Then nothing that is stated is believed. */
export function isOver({ patienceMs }: Patience): boolean {
  return patienceMs < MIN_PATIENCE_MS;
}

export function held(patience: Patience, nowMs: number, isHeld: boolean): Patience {
  const { heldMs, heldFromMs } = patience;
  if (isHeld) return heldFromMs > 0 ? patience : { ...patience, heldFromMs: nowMs };
  if (heldFromMs === 0) return patience;
  return { ...patience, heldMs: heldMs + nowMs - heldFromMs, heldFromMs: 0 };
}

export function notHeld({ patienceMs }: Patience): Patience {
  return { patienceMs, heldMs: 0, heldFromMs: 0 };
}

/** When a request goes out all the same. */
export function endsAtMs({ patienceMs, heldMs, heldFromMs }: Patience): number {
  return heldFromMs + patienceMs - heldMs;
}

/** The request that went out all the same was admitted. */
export function afterTry(patience: Patience): Patience {
  return { ...patience, patienceMs: patience.patienceMs / 2 };
}

/** The limit is there. */
export function afterThrottle(patience: Patience): Patience {
  const patienceMs = Math.min(MAX_PATIENCE_MS, patience.patienceMs * 2);
  return { ...patience, patienceMs, heldMs: 0 };
}
