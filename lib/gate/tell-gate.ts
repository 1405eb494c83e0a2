import type { Clock, Gates, Random } from './ports.ts';

/** The AWS SDK has repeated the call within a second already: this is longer trouble. */
const FIRST_WAIT_MS = 500;
/** Soon enough to be told within a moment once the gate is back. */
const MAX_WAIT_MS = 5_000;

/** What telling the gate takes. */
interface TellPorts {
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
}

/** A call that hangs: three attempts of 5 s (functions/aws/client-settings.ts) and the waits between them. */
export const LONGEST_TELL_MS = 16_000;

/**
 * Tells the gate what all who use the connection have to keep: a wait that the API asked for, or a key that it
 * rejected. While the gate does not know, others would ask too early or send that key again, so this is repeated
 * until it does, with growing jittered waits.
 *
 * @param untilMs The call is over by then, however long it hangs; without time for that it is made once.
 * Milliseconds since the epoch.
 * @throws What the gate threw last.
 */
export async function tellGate(
  { clock, random }: TellPorts,
  tell: () => Promise<void>,
  untilMs: number,
): Promise<void> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await tell();
    } catch (error) {
      // At least half of it, so that the repeats do not become a flood.
      const share = 0.5 + random.fraction() / 2;
      const waitMs = Math.ceil(share * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** repeats));
      if (clock.now() + waitMs + LONGEST_TELL_MS >= untilMs) throw error;
      await clock.sleep(waitMs, new AbortController().signal);
    }
  }
}

/**
 * Tells the gate of a wait that the API asked for, as {@link tellGate} does. Who tells it when the wait is over
 * tells nothing.
 *
 * @param waitUntilMs No request before, milliseconds since the epoch.
 * @param tellUntilMs As `untilMs` of {@link tellGate}.
 */
export function tellWait(
  ports: TellPorts & { readonly gates: Pick<Gates, 'blockUntil'> },
  connection: string,
  waitUntilMs: number,
  tellUntilMs: number,
): Promise<void> {
  const block = () => ports.gates.blockUntil(connection, waitUntilMs);
  return tellGate(ports, block, Math.min(tellUntilMs, waitUntilMs));
}
