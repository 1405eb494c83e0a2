import { defined } from '../defined.ts';
import { replaceItem, wakeItem } from '../steps/step-kind.ts';
import { credentialInUse } from './accept-write.ts';
import { type Closed, closeWrite } from './close-write.ts';
import type { AcceptPorts, WriteName } from './ports.ts';
import type { WriteSettings } from './write-settings.ts';
import type { Settlement, SettlementDecision, WriteState } from './write-state.ts';
import { isOver, writeSteps } from './write-steps.ts';
import { cleared, finish, nextTry, reasonOf, refuse } from './write-transitions.ts';

export interface SettlementRequest extends WriteName, Pick<Settlement, 'by' | 'note'> {
  /**
   * `attempt` of the unclear write that the person checked. A write that was sent again may become unclear
   * again; the earlier finding does not apply to it.
   */
  readonly attempt: number;
  /**
   * `done`: the write took effect. `retry`: it did not, so it is sent again. `drop`: it did not, and is not sent
   * any more.
   */
  readonly decision: SettlementDecision;
}

export type Settled =
  /** Settled, now or before by the same decision of the same person. */
  | {
      readonly kind: 'settled';
      readonly state: WriteState;
      /** What the event bus threw: the write is settled all the same, and the sweep tells what it came to. */
      readonly untold?: Closed['untold'];
    }
  /** There is nothing to decide, or the write has another attempt by now (HTTP 409). */
  | { readonly kind: 'not-unclear'; readonly state: WriteState }
  | { readonly kind: 'missing' };

/** The latest ones: beside a body of 256 KB an item of the ledger has room for so many. */
const MAX_SETTLEMENTS = 16;
/** The worker that parked the write also marks its event as published; more concurrent writers are unlikely. */
const MAX_TRIES = 3;

/**
 * Settles an unclear write with a person's finding, and stores who decided what.
 *
 * @throws What a port throws: retry.
 */
export async function settleWrite(
  ports: AcceptPorts,
  settings: WriteSettings,
  request: SettlementRequest,
): Promise<Settled> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const state = await ports.ledger.readWrite(request.connection, request.writeId);
    if (state === undefined) return { kind: 'missing' };
    if (state.status !== 'unclear' || state.attempt !== request.attempt) {
      return repeated(ports, state, request);
    }
    const closed = await closeWrite(ports, state);
    const told = closed.untold === undefined ? closed.state : toldLater(state);
    const rebound = await reboundBy(ports, told, request);
    const settled = settle(rebound, request, ports.clock.now(), settings);
    const stored = await replaceItem(writeSteps(ports), told, settled);
    if (stored === undefined) continue;
    return {
      ...defined({ untold: closed.untold }),
      ...(await goOn(ports, stored)),
      kind: 'settled',
    };
  }
  throw new Error(`Write ${request.writeId} changed ${MAX_TRIES} times meanwhile. Ask again.`);
}

/** The answer to the same decision may have been lost. */
async function repeated(
  ports: AcceptPorts,
  state: WriteState,
  { attempt, decision, by }: SettlementRequest,
): Promise<Settled> {
  const latest = state.settlements.at(-1);
  const isSame =
    latest?.before.attempt === attempt && latest.decision === decision && latest.by === by;
  if (!isSame) return { kind: 'not-unclear', state };
  return { kind: 'settled', ...(await goOn(ports, state)) };
}

/** What a person found does not wait for the event that nobody knew. */
function toldLater({ untold = [], ...state }: WriteState): WriteState {
  const { attempt, updatedAtMs, reason } = state;
  const before = { attempt, updatedAtMs, ...defined({ reason }) };
  return { ...state, unannounced: false, untold: [...untold, before] };
}

async function goOn(ports: AcceptPorts, state: WriteState): Promise<Closed> {
  if (isOver(state)) return closeWrite(ports, state);
  if (!state.wakeUpSent) await wakeItem(writeSteps(ports), state);
  return { state };
}

/**
 * Who retries a write of another organization has seen that it is, and decides for the key of now. Any other retry
 * stays with the organization that the write was accepted under.
 */
async function reboundBy(
  ports: AcceptPorts,
  state: WriteState,
  { decision }: SettlementRequest,
): Promise<WriteState> {
  if (decision !== 'retry' || state.reason?.code !== 'organization-changed') return state;
  const { credential: _former, ...rest } = state;
  // The cached key may be the one that the person saw the write refused for.
  const credential = await credentialInUse(ports, state.connection, 'fresh');
  return { ...rest, ...defined({ credential }) };
}

function settle(
  state: WriteState,
  { decision, by, note }: SettlementRequest,
  nowMs: number,
  settings: WriteSettings,
): WriteState {
  const { status, attempt, reason } = state;
  const settlement: Settlement = {
    atMs: nowMs,
    by,
    decision,
    ...defined({ note }),
    before: { status, attempt, ...defined({ reason }) },
  };
  const settlements = [...state.settlements, settlement].slice(-MAX_SETTLEMENTS);
  const audited = { ...state, settlements };
  if (decision === 'drop') {
    const dropped = reasonOf('dropped', `Given up by ${by}; it had no effect.`);
    return refuse(audited, dropped, nowMs, settings);
  }
  if (decision === 'done') return finish(audited, { settledBy: 'person' }, nowMs, settings);
  const { reason: _reason, ...rest } = cleared(audited);
  return {
    ...nextTry(rest, nowMs, nowMs),
    deadlineAtMs: nowMs + settings.maxDurationSeconds * 1000,
    counters: { ...state.counters, failuresInRow: 0, unknownChecksInRow: 0 },
    closed: false,
  };
}
