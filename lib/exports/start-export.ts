import { type ExportRules, ensureExport } from './begin-export.ts';
import { changeLine } from './change-line.ts';
import { closeExport, wakeIfAsleep } from './close-export.ts';
import { joined, type QueuedExport, queuedIn } from './export-line.ts';
import type { ExportState } from './export-state.ts';
import { EXPORT_MEANING } from './export-steps.ts';
import type { ControlPorts } from './ports.ts';
import { resumeHalted } from './resume-export.ts';

export type Started =
  /** This trigger's export is running; this call or an earlier delivery started it. */
  | { readonly kind: 'started'; readonly state: ExportState }
  /** An export of another trigger is already running for the list. */
  | { readonly kind: 'joined'; readonly state: ExportState }
  /** Exports of other lists come first. The one that waits may be of another trigger. */
  | { readonly kind: 'queued'; readonly queued: QueuedExport }
  /** A halted export continues with a new key version. */
  | { readonly kind: 'resumed'; readonly state: ExportState }
  /** The export is halted, and there is no new key version. */
  | { readonly kind: 'halted'; readonly state: ExportState }
  /** This trigger was delivered again; its export is over. */
  | { readonly kind: 'over'; readonly state: ExportState };

export interface WantedExport {
  readonly connection: string;
  /** One of the rules. */
  readonly list: string;
  /** From `exportIdOf`. */
  readonly exportId: string;
}

/** An export may end during the join and make room for a new one. More often than this is a defect. */
const MAX_TRIES = 3;

/**
 * Starts an export of a list, or joins the one that runs or waits. One list of a connection is exported at a time: the
 * others wait for their turn.
 *
 * @throws What a port throws: deliver the trigger again; a repeat starts no second export.
 */
export async function startExport(
  ports: ControlPorts,
  rules: ExportRules,
  wanted: WantedExport,
): Promise<Started> {
  const { connection, list, exportId } = wanted;
  const known = await ports.ledger.readExport(connection, exportId);
  if (known !== undefined && isOver(known)) {
    await closeExport(ports, rules, known);
    return { kind: 'over', state: known };
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const entry = { list, exportId, sinceMs: ports.clock.now() };
    const entries = await changeLine(ports, connection, (before) => joined(before, entry));
    const [head = entry] = entries;
    const state = await ensureExport(ports, rules, connection, head);
    if (isOver(state)) {
      await closeExport(ports, rules, state);
      if (state.exportId === exportId) return { kind: 'over', state };
      continue;
    }
    // Who waits for a halted export or for one whose wake-up is not sent yet helps it too.
    const resumed = state.status === 'halted' ? await resumeHalted(ports, state) : undefined;
    if (resumed === undefined) await wakeIfAsleep(ports, state);
    const queued = queuedIn({ connection, entries }).find((each) => each.list === list);
    if (queued !== undefined) return { kind: 'queued', queued };
    if (resumed !== undefined) {
      const kind = resumed.kind === 'resumed' ? 'resumed' : 'halted';
      return { kind, state: resumed.state };
    }
    return { kind: state.exportId === exportId ? 'started' : 'joined', state };
  }
  throw new Error(
    `Exports of ${connection} ended ${MAX_TRIES} times during this start. Start again.`,
  );
}

function isOver(state: ExportState): boolean {
  return EXPORT_MEANING.restOf(state) === 'over';
}
