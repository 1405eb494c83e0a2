import { haltedBy } from '../gate/not-sent.ts';
import type { Gate } from '../gate/ports.ts';
import { usableConnection } from '../gate/usable-connection.ts';
import { wakeOpened } from '../steps/due-at.ts';
import { replaceItem, wakeItem } from '../steps/step-kind.ts';
import { STALL_GRACE_MS, type Swept, sweepEach, untilBusFails } from '../steps/sweep.ts';
import { closeWrite } from './close-write.ts';
import { isFirstInLine, isOrdered } from './order-line.ts';
import type { AcceptPorts, QueuePorts, SweepPorts, WriteName } from './ports.ts';
import { tellUntoldWait } from './untold-wait.ts';
import type { WriteState } from './write-state.ts';
import { stalledAtMs, writeSteps } from './write-steps.ts';
import { type NoKeyToSend, resume, stillHalted } from './write-transitions.ts';

export type SweptWrite = Swept<WriteName, SweepResult>;

type SweepResult = 'nothing' | 'close' | 'wake' | 'resume' | 'still-halted' | 'missing';

/** Of the 2,000 at most that a gate which was opened held back: they take some seconds. */
const OPENED_SIDE_BY_SIDE = 25;

interface Connection {
  readonly gate: Gate;
  /** Absent while there is a key that may be sent. */
  readonly noKey?: NoKeyToSend;
}

/** What the writes of one sweep share. */
interface OneSweep {
  connectionOf(name: string): Promise<Connection>;
  /** Leaves the event to a later sweep while the bus takes nothing. */
  close(state: WriteState): Promise<SweepResult>;
}

/**
 * Checks the unfinished writes and continues stalled ones: after a lost message, a crash between two writes, an
 * unpublished event, or a new key for a halted connection.
 *
 * @param connection Only this one. @default - all connections
 */
export async function wakeWrites(
  ports: SweepPorts,
  connection?: string,
): Promise<readonly SweptWrite[]> {
  const names = await ports.ledger.listUnfinished(ports.clock.now(), connection);
  const connections = new Map<string, Promise<Connection>>();
  const connectionOf = (name: string) => {
    const known = connections.get(name) ?? lookAt(ports, name);
    connections.set(name, known);
    return known;
  };
  const bus = untilBusFails(ports.events);
  const given = new Error('The event bus took nothing of this sweep.');
  const publish: SweepPorts['events']['publish'] = async (event) => {
    if ((await bus((events) => events.publish(event))) === 'nothing') throw given;
  };
  const close = async (state: WriteState) => {
    const { untold } = await closeWrite({ ...ports, events: { publish } }, state);
    if (untold === undefined) return 'close';
    if (untold.error === given) return 'nothing';
    throw untold.error;
  };
  return sweepEach(names, (name) => sweepOne(ports, name, { connectionOf, close }));
}

async function lookAt(ports: AcceptPorts, connection: string): Promise<Connection> {
  const gate = await ports.gates.read(connection);
  const opened = await usableConnection(ports.connections, connection, gate);
  if (opened.kind === 'open') return { gate };
  const noKey = opened.kind === 'no-key' ? opened : haltedBy(connection, opened.keyVersion);
  return { gate, noKey };
}

async function sweepOne(
  ports: SweepPorts,
  { connection, writeId }: WriteName,
  { connectionOf, close }: OneSweep,
): Promise<SweepResult> {
  const state = await ports.ledger.readWrite(connection, writeId);
  if (state === undefined) return 'missing';
  const { untoldWait, ...told } = state;
  if (state.closed && untoldWait === undefined) return 'nothing';
  const look = await connectionOf(connection);
  const result = state.closed ? 'nothing' : await goOn(ports, state, { ...look, close });
  if (untoldWait === undefined) return result;
  // Last, so that a gate that takes nothing keeps no write from going on.
  await tellUntoldWait(ports, state, look.gate);
  if (state.closed) await replaceItem(writeSteps(ports), state, told);
  return result;
}

async function goOn(
  ports: AcceptPorts,
  state: WriteState,
  { gate, noKey, close }: Connection & Pick<OneSweep, 'close'>,
): Promise<SweepResult> {
  const kind = writeSteps(ports);
  const nowMs = ports.clock.now();
  if (state.halted !== undefined) {
    // A write past its deadline needs no key to end.
    if (noKey !== undefined && nowMs < state.deadlineAtMs) {
      const halted = stillHalted(state, noKey);
      if (halted !== state) await replaceItem(kind, state, halted);
      return 'still-halted';
    }
    const resumed = await replaceItem(kind, state, resume(state, nowMs));
    if (resumed !== undefined) await wakeItem(kind, resumed);
    return 'resume';
  }
  if (kind.restOf(state) === 'over') return close(state);
  if (!(await isStalled(ports, state, gate, nowMs))) return 'nothing';
  await wakeItem(kind, state);
  return 'wake';
}

async function isStalled(
  ports: AcceptPorts,
  state: WriteState,
  { blockedUntilMs }: Gate,
  nowMs: number,
): Promise<boolean> {
  const dueAtMs = Math.max(stalledAtMs(state), blockedUntilMs + STALL_GRACE_MS);
  if (nowMs >= state.deadlineAtMs + STALL_GRACE_MS) return true;
  if (nowMs < dueAtMs) return false;
  // A write that waits in line is woken by the one before it.
  return !isOrdered(state) || (await isFirstInLine(ports, state));
}

/**
 * Sends the wake-ups of the writes that waited for the gate that was opened. Safe to repeat. One whose ledger or queue
 * fails goes on with the message that it has on its way.
 */
export async function wakeOpenedWrites(
  ports: QueuePorts,
  connection: string,
  gate: Gate,
): Promise<void> {
  const names = await ports.ledger.listUnfinished(Number.MAX_SAFE_INTEGER, connection);
  const kind = writeSteps(ports);
  const wakeOne = async ({ writeId }: WriteName) => {
    const state = await ports.ledger.readWrite(connection, writeId);
    if (state !== undefined) await wakeOpened(kind, state, gate);
  };
  await sweepEach(names, wakeOne, OPENED_SIDE_BY_SIDE);
}
