import type { Gate } from '../gate/ports.ts';
import type { ExportState } from './export-state.ts';
import type { ExportPorts } from './ports.ts';

/** The end of the latest wait that the gate did not take, 0 for none. */
export interface Unrecorded {
  untilMs: number;
}

/** The ports of a step that note which wait could not be recorded in the gate. */
export function notingWaits(ports: ExportPorts): {
  readonly ports: ExportPorts;
  readonly unrecorded: Unrecorded;
} {
  const unrecorded: Unrecorded = { untilMs: 0 };
  const { gates } = ports;
  const blockUntil: typeof gates.blockUntil = async (connection, untilMs, asSent) => {
    unrecorded.untilMs = Math.max(unrecorded.untilMs, untilMs);
    const isRaised = await gates.blockUntil(connection, untilMs, asSent);
    // A longer one of another answer may still be on its way, or have failed.
    if (unrecorded.untilMs <= untilMs) unrecorded.untilMs = 0;
    return isRaised;
  };
  return { ports: { ...ports, gates: { ...gates, blockUntil } }, unrecorded };
}

/** Tells the gate of a wait that it did not take at its time, so that all callers keep it. The next hop tries again. */
export async function recordKeptWait(
  { gates }: Pick<ExportPorts, 'gates'>,
  { connection, isWaitUntold }: ExportState,
  notBeforeMs: number,
  { blockedUntilMs }: Pick<Gate, 'blockedUntilMs'>,
): Promise<void> {
  if (isWaitUntold !== true || notBeforeMs <= blockedUntilMs) return;
  await gates.blockUntil(connection, notBeforeMs).catch(() => undefined);
}
