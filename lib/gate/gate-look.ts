import type { Clock, GateLook, Gates } from './ports.ts';

/** Oldest read of the gate that still allows a request. */
export const MAX_GATE_AGE_MS = 1_000;

/** Whether a read that began then still allows a request. Of one in the future the age is not known: a clock was set. */
export function isFresh(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs <= MAX_GATE_AGE_MS;
}

/** No more reads than this: if all reads are slow, no request would ever be sent. */
const MAX_LOOKS = 2;

interface LookPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly gates: Pick<Gates, 'read'>;
}

export async function lookAtGate(
  { clock, gates }: LookPorts,
  connection: string,
): Promise<GateLook> {
  const atMs = clock.now();
  return { ...(await gates.read(connection)), atMs };
}

/**
 * The latest read of the gate if it is recent enough, else a new one. A read that is too old when it returns is
 * repeated once: this process was paused, and another one may have closed the gate.
 */
export async function freshLook(
  ports: LookPorts,
  connection: string,
  latest: GateLook,
): Promise<GateLook> {
  let look = latest;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if (isFresh(look.atMs, ports.clock.now())) break;
    look = await lookAtGate(ports, connection);
  }
  return look;
}
