import type { Gate } from '../gate/ports.ts';
import { dueAtMs, wakeOpened } from '../steps/due-at.ts';
import { isHeld } from '../steps/step-item.ts';
import { replaceItem, wakeItem } from '../steps/step-kind.ts';
import { STALL_GRACE_MS, type Swept, sweepEach, sweepListed } from '../steps/sweep.ts';
import { type Listing, listingOf, readable } from '../steps/unreadable-item.ts';
import { teller } from './announce.ts';
import { type ExportRules, ensureExport, listRemoved, stateOf } from './begin-export.ts';
import { brokenBound } from './bounds.ts';
import { isLeaving } from './cancelled.ts';
import { endTurn } from './close-export.ts';
import { type ExportLine, type LineEntry, queuedIn } from './export-line.ts';
import type { ExportState } from './export-state.ts';
import { breaksOff, EXPORT_MEANING, exportSteps, sweepAtMs } from './export-steps.ts';
import { fail } from './export-transitions.ts';
import type { ControlPorts, ExportName, SweepPorts } from './ports.ts';
import { resumeHalted } from './resume-export.ts';

type SweepDecision =
  | 'nothing'
  | 'close'
  | 'resume'
  | 'fail'
  /** Nobody is at it: a message was lost, a worker crashed, or there are more exports than workers. */
  | 'wake'
  /** Woken before, and no worker has claimed it since. */
  | 'woken'
  /** It was cancelled, and its worker or its parts are still there. */
  | 'leave'
  /** A worker is at it. */
  | 'at-work'
  /** Its steps break off again and again, whoever is at it. */
  | 'breaks-off'
  /** The same, and nobody is at it. */
  | 'wake-broken';

type SweepResult = SweepDecision | 'still-halted';

export type SweptExport = Swept<SweptName, SweepResult>;

type SweptName = ExportName & Partial<Pick<ExportState, 'list'> & Waiting>;

/** What waits for the turn of its list behind an export. */
interface Waiting {
  readonly queued: number;
  /** Their names, in their order. */
  readonly queuedLists: string;
  /** How long the one has waited that has done so the longest. */
  readonly longestQueuedSeconds: number;
}

/** Longer than an update of all functions takes, and what they are at when it begins. */
export const LONGEST_UPDATE_MS = 30 * 60 * 1000;

/** Whether a function of a newer version may have started it, whose settings have its list. */
function mayBeNewer({ startedAtMs }: ExportState, nowMs: number): boolean {
  return nowMs < startedAtMs + LONGEST_UPDATE_MS;
}

/**
 * A wake-up that waits in the queue for a worker looks like one that was lost. So an export that was woken and that nobody
 * has claimed since is woken again only then: messages that are not needed would fill the queue.
 */
const WAKE_AGAIN_MS = 30 * 60 * 1000;

/** Decides from the ledger alone: a lost message leaves no other trace. */
export function decideSweep(
  state: ExportState,
  gate: Pick<Gate, 'blockedUntilMs' | 'opening'>,
  nowMs: number,
  rules: ExportRules,
): SweepDecision {
  if (state.status === 'completed' || state.status === 'failed') return 'close';
  if (state.status === 'cancelled' && !isLeaving(state, nowMs)) return 'close';
  // It is taken out of the line once its worker has left; only a worker may remove its parts.
  if (state.status === 'cancelled') return isHeld(state, nowMs) ? 'nothing' : 'leave';
  // A worker that is at it began before the list was taken out of the settings.
  if (listRemoved(rules, state) !== undefined && !isHeld(state, nowMs)) {
    return mayBeNewer(state, nowMs) ? 'nothing' : 'fail';
  }
  if (state.status === 'halted') {
    return brokenBound(state, 0, nowMs, rules.export)?.code === 'deadline' ? 'fail' : 'resume';
  }
  const { updatedAtMs, lease, end } = state;
  // The work after the end of the list does not wait.
  const dueMs = end === undefined ? dueAtMs(state, gate) : 0;
  const isWoken = state.isWoken === true && dueMs <= updatedAtMs;
  const sinceMs = Math.max(updatedAtMs, lease?.untilMs ?? 0, dueMs);
  const isDue = nowMs >= sinceMs + (isWoken ? WAKE_AGAIN_MS : STALL_GRACE_MS);
  if (breaksOff(state)) return isDue ? 'wake-broken' : 'breaks-off';
  if (isDue) return 'wake';
  if (isHeld(state, nowMs)) return 'at-work';
  return isWoken ? 'woken' : 'nothing';
}

/** What exports share that are looked at together. */
interface Sweep {
  readonly ports: SweepPorts;
  readonly rulesOf: (connection: string) => ExportRules;
  /** Those at rest. Their events are told last: an event bus that takes nothing keeps no export from going on. */
  readonly untold: ExportName[];
}

/**
 * Checks all unfinished exports and continues stalled ones: after a lost message, a crash between two writes,
 * an unpublished event, or a new key for a halted connection. What waits in line needs no help of its own.
 *
 * @param connection Only this one. @default - all connections
 */
export async function wakeExports(
  ports: SweepPorts,
  rulesOf: (connection: string) => ExportRules,
  connection?: string,
): Promise<readonly SweptExport[]> {
  const { items, unreadable } = await linesOf(ports, connection);
  const nowMs = ports.clock.now();
  const inLine: Sweep = { ports, rulesOf, untold: [] };
  const heads = items.flatMap((line) => headOf(line, nowMs));
  const swept = await sweepEach(heads, (head) => sweepOne(inLine, head));
  const behind: Sweep = { ports, rulesOf, untold: [] };
  const left = connection === undefined ? await sweepLeft(behind) : [];
  const tell = teller(ports);
  return [
    ...swept.map(({ sinceMs: _, ...each }) => each),
    ...left,
    // What became of the head of a line is said already.
    ...(await tell(inLine.untold)).filter(({ result }) => result === 'error'),
    ...(await tell(behind.untold)),
    ...unreadable.map(({ item, name }) => problemOf(item.connection, name)),
  ];
}

/** Exports that have left their line: wakes those that are not over. */
async function sweepLeft(sweep: Sweep): Promise<readonly SweptExport[]> {
  const { ports, untold } = sweep;
  const listing = ports.ledger.listUntold(ports.clock.now());
  const unread = { connection: 'unknown', ...UNKNOWN };
  const swept = await sweepListed<ExportName, SweepResult>(listing, unread, async (name) => {
    const state = await ports.ledger.readExport(name.connection, name.exportId);
    // The index may lag.
    if (state === undefined || sweepAtMs(state) === undefined) return 'nothing';
    if (EXPORT_MEANING.restOf(state) !== 'over') return goOn(sweep, state);
    untold.push(name);
    return 'nothing';
  });
  return swept.filter(({ result }) => result !== 'nothing');
}

/** At rest: ends its turn, and notes that its events are to be told. */
async function putToRest(
  { ports, untold }: Sweep,
  rules: ExportRules,
  state: ExportState,
): Promise<void> {
  const { connection, exportId } = state;
  if (state.unannounced.length > 0) untold.push({ connection, exportId });
  await endTurn(ports, rules, state);
}

/** Of an export of which nobody knows more than its connection. */
const UNKNOWN = { list: 'unknown', exportId: 'unknown' };

function problemOf(connection: string, problem: string): SweptExport {
  return { connection, ...UNKNOWN, result: 'error', problem };
}

async function linesOf(
  { ledger }: ControlPorts,
  connection: string | undefined,
): Promise<Listing<ExportLine>> {
  if (connection === undefined) return ledger.listLines();
  // The index may lag.
  return listingOf([await readable(ledger.readLine(connection))]);
}

type Head = LineEntry & SweptName;

function headOf(line: ExportLine, nowMs: number): readonly Head[] {
  const [head] = line.entries;
  if (head === undefined) return [];
  return [{ connection: line.connection, ...head, ...waitingBehind(line, nowMs) }];
}

function waitingBehind(line: ExportLine, nowMs: number): Partial<Waiting> {
  const queued = queuedIn(line);
  if (queued.length === 0) return {};
  const longestMs = nowMs - Math.min(...queued.map(({ sinceMs }) => sinceMs));
  return {
    queued: queued.length,
    queuedLists: queued.map(({ list }) => list).join(', '),
    longestQueuedSeconds: Math.max(0, Math.round(longestMs / 1000)),
  };
}

async function sweepOne(sweep: Sweep, head: Head): Promise<SweepResult> {
  const { ports, rulesOf } = sweep;
  const state = await ensureExport(ports, rulesOf(head.connection), head.connection, head);
  return state === undefined ? failUnbegun(sweep, head) : goOn(sweep, state);
}

async function goOn(sweep: Sweep, state: ExportState): Promise<SweepResult> {
  const { ports, rulesOf } = sweep;
  const rules = rulesOf(state.connection);
  const gate = await ports.gates.read(state.connection);
  const nowMs = ports.clock.now();
  const decision = decideSweep(state, gate, nowMs, rules);
  switch (decision) {
    case 'nothing':
    case 'woken':
    case 'at-work':
    case 'breaks-off':
      break;
    case 'close':
      await putToRest(sweep, rules, state);
      break;
    case 'resume': {
      const resumed = await resumeHalted(ports, state);
      if (resumed.kind === 'resumed') return 'resume';
      await putToRest(sweep, rules, resumed.state);
      return resumed.kind;
    }
    case 'fail':
      return failNow(sweep, state, nowMs);
    case 'leave':
      await wakeItem(exportSteps(ports), state);
      break;
    case 'wake':
    case 'wake-broken':
      await wakeItem(exportSteps(ports), { ...state, isWoken: true });
      break;
  }
  return decision;
}

/**
 * Fails an export whose list is not in the settings by the write that makes its item: if it was there before it failed,
 * it could run by other settings than those of its list.
 */
async function failUnbegun(sweep: Sweep, { connection, ...head }: Head): Promise<SweepDecision> {
  const { ports, rulesOf } = sweep;
  const rules = rulesOf(connection);
  const waiting = stateOf(rules, connection, head, ports.random.token());
  const reason = listRemoved(rules, waiting);
  const nowMs = ports.clock.now();
  if (reason === undefined || mayBeNewer(waiting, nowMs)) return 'nothing';
  const failed = fail(waiting, reason, nowMs);
  const { kind } = await ports.ledger.writeExport(failed, undefined);
  if (kind !== 'written') return 'nothing';
  await putToRest(sweep, rules, failed);
  return 'fail';
}

/** Fails a halted export that got no new key in time, or one without its list, so that another export can start. */
async function failNow(sweep: Sweep, state: ExportState, nowMs: number): Promise<SweepDecision> {
  const { ports, rulesOf } = sweep;
  const rules = rulesOf(state.connection);
  const reason = listRemoved(rules, state) ?? brokenBound(state, 0, nowMs, rules.export);
  if (reason === undefined) return 'nothing';
  const failed = await replaceItem(exportSteps(ports), state, fail(state, reason, nowMs));
  if (failed === undefined) return 'nothing';
  await putToRest(sweep, rules, failed);
  return 'fail';
}

/** Sends the wake-up of the export whose turn it is, if it waited for the gate that was opened. Safe to repeat. */
export async function wakeOpenedExport(
  ports: Pick<ControlPorts, 'clock' | 'random' | 'ledger' | 'queue'>,
  connection: string,
  gate: Gate,
): Promise<void> {
  const line = await ports.ledger.readLine(connection);
  const [head] = line?.entries ?? [];
  if (head === undefined) return;
  const state = await ports.ledger.readExport(connection, head.exportId);
  if (state !== undefined) await wakeOpened(exportSteps(ports), state, gate);
}
