import type { Gate } from '../gate/ports.ts';
import { commitItem } from '../steps/report.ts';
import { isHeld } from '../steps/step-item.ts';
import type { Step } from './commit-step.ts';
import type { ExportState } from './export-state.ts';
import { countStepWithoutPage, nextStep } from './export-transitions.ts';
import type { ExportPorts } from './ports.ts';

/** The end of the latest wait that the gate did not take, 0 for none. */
interface Unrecorded {
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

/**
 * Keeps in the export's own item a wait that the gate did not take, after the step has failed: the next worker would
 * ask too early. What the step got since its last commit is fetched again. It never rejects: the ledger may take nothing
 * at all, and then nobody can claim the step until it does.
 */
export async function keepWait(step: Step, { untilMs }: Unrecorded): Promise<void> {
  if (untilMs <= step.ports.clock.now()) return;
  await keep(step, untilMs).catch(() => undefined);
}

async function keep({ ports, kind, owner, wakeUp }: Step, untilMs: number): Promise<void> {
  const nowMs = ports.clock.now();
  const state = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  const isOurs = state?.lease?.owner === owner && isHeld(state, nowMs);
  if (!isOurs || kind.restOf(state) !== undefined) return;
  const next = nextStep(countStepWithoutPage(state), untilMs, nowMs);
  await commitItem(kind, state, { ...next, waitsFor: 'throttled', isWaitUntold: true });
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
