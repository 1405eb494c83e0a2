import type { Clock, GateLook, Gates } from './ports.ts';

/** How old a look at the gate may be when a request is sent. */
export const MAX_GATE_AGE_MS = 1_000;
/** No more often: where all looks are slow, nothing would be sent. */
const MAX_LOOKS = 2;

interface LookPorts {
  readonly clock: Clock;
  readonly gates: Pick<Gates, 'read'>;
}

/** @throws What the gate threw. */
export async function lookAtGate(
  { clock, gates }: LookPorts,
  connection: string,
): Promise<GateLook> {
  const atMs = clock.now();
  return { ...(await gates.read(connection)), atMs };
}

/**
 * The latest look while it is new enough, else a new one. A look that is old as soon as it is over is
 * repeated: then this process stood still, and others may have closed the gate meanwhile.
 *
 * @throws What the gate threw.
 */
export async function freshLook(
  ports: LookPorts,
  connection: string,
  latest: GateLook,
): Promise<GateLook> {
  let look = latest;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if (ports.clock.now() - look.atMs <= MAX_GATE_AGE_MS) break;
    look = await lookAtGate(ports, connection);
  }
  return look;
}
