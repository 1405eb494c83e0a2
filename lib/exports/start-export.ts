import { type ExportRules, ensureExport } from './begin-export.ts';
import { changeLine } from './change-line.ts';
import { endTurn, wakeIfAsleep } from './close-export.ts';
import { joined, type QueuedExport, queuedIn } from './export-line.ts';
import type { ExportState } from './export-state.ts';
import { EXPORT_MEANING, hasLeftLine } from './export-steps.ts';
import type { ControlPorts } from './ports.ts';
import { type Resumed, resumeHalted } from './resume-export.ts';

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

/** Exports may end or be cancelled during the join and make room for new ones. More often than this is a defect. */
const MAX_TRIES = 5;

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
  if (known !== undefined && hasLeftLine(known)) {
    await endTurn(ports, rules, known);
    return { kind: isOver(known) ? 'over' : 'started', state: known };
  }
  let overId: string | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const entry = { list, exportId, sinceMs: ports.clock.now() };
    const entries = await changeLine(ports, connection, (before) => joined(before, entry, overId));
    const [head = entry] = entries;
    const state = await ensureExport(ports, rules, connection, head);
    const queued = queuedIn({ connection, entries }).find((each) => each.list === list);
    if (state && isOver(state)) {
      await endTurn(ports, rules, state);
      if (state.exportId === exportId) return { kind: 'over', state };
      // One that is still over at the second look was cancelled and is being left: this one comes after it.
      const isBeingLeft = overId === state.exportId;
      overId = state.exportId;
      if (!isBeingLeft) continue;
    } else if (state) {
      const helped = await help(ports, state);
      if (queued === undefined && !isOver(helped.state)) return asked(helped, exportId);
    }
    if (queued === undefined) continue;
    const ended = await endedInLine(ports, rules, queued);
    if (ended === undefined) return { kind: 'queued', queued };
    if (ended.exportId === exportId) return { kind: 'over', state: ended };
  }
  throw new Error(
    `Exports of ${connection} ended ${MAX_TRIES} times during this start. Start again.`,
  );
}

type Helped = Resumed | { readonly kind: 'awake'; readonly state: ExportState };

/** Who waits for a halted export or for one whose wake-up is not sent yet helps it too. */
async function help(ports: ControlPorts, state: ExportState): Promise<Helped> {
  if (state.status === 'halted') return resumeHalted(ports, state);
  await wakeIfAsleep(ports, state);
  return { kind: 'awake', state };
}

function asked({ kind, state }: Helped, exportId: string): Started {
  if (kind === 'awake') {
    return { kind: state.exportId === exportId ? 'started' : 'joined', state };
  }
  return { kind: kind === 'resumed' ? 'resumed' : 'halted', state };
}

/** One that was cancelled while it waited is helped out of the line. @returns `undefined` for one that still waits. */
async function endedInLine(
  ports: ControlPorts,
  rules: ExportRules,
  { connection, exportId }: QueuedExport,
): Promise<ExportState | undefined> {
  const state = await ports.ledger.readExport(connection, exportId);
  if (state === undefined || !isOver(state)) return undefined;
  await endTurn(ports, rules, state);
  return state;
}

function isOver(state: ExportState): boolean {
  return EXPORT_MEANING.restOf(state) === 'over';
}
