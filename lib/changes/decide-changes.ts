import { atRest } from '../steps/step-item.ts';
import { replaceItem, wakeItem } from '../steps/step-kind.ts';
import type { ChangeDecision, ChangeName, ChangeState } from './change-state.ts';
import { changeSteps, isWaiting } from './change-steps.ts';
import { closeChanges } from './close-changes.ts';
import { acceptedStatus } from './end-comparison.ts';
import type { ChangePorts } from './ports.ts';

export interface DecisionRequest extends ChangeName, Pick<ChangeDecision, 'decision' | 'by'> {}

export type Decided =
  /** Decided, now or before by the same decision of the same person. */
  | {
      readonly kind: 'decided';
      readonly state: ChangeState;
      /** Whether nothing was decided about them before, and nothing of them told. */
      readonly isFirst: boolean;
    }
  /** They wait for nobody: told, discarded or superseded by newer ones (HTTP 409). */
  | { readonly kind: 'not-waiting'; readonly state: ChangeState }
  | { readonly kind: 'missing' };

/** The sweep and a newer comparison may write meanwhile; more are unlikely. */
const MAX_TRIES = 5;

/**
 * Releases changes that are held or stopped, so that they are told as any others, or discards them: then they are
 * never told, and the next export is compared with the same one as they were. Of changes that are being told what is
 * left can be discarded while nothing of it is taken: else an event that is never taken would hold up its list for ever.
 *
 * @throws What a port throws: retry.
 */
export async function decideChanges(
  ports: ChangePorts,
  request: DecisionRequest,
): Promise<Decided> {
  const { connection, exportId, decision, by } = request;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const state = await ports.ledger.readChange(connection, exportId);
    if (state === undefined) return { kind: 'missing' };
    const isRepeated = state.decided?.decision === decision && state.decided.by === by;
    if (!mayDecide(state, decision)) {
      const closed = await closeChanges(ports, state);
      return isRepeated ? afterClose(closed, false) : { kind: 'not-waiting', state: closed };
    }
    // The event that it is held is out before it is not.
    const told = await closeChanges(ports, state);
    if (!mayDecide(told, decision)) return { kind: 'not-waiting', state: told };
    const decided = { decision, by, atMs: ports.clock.now() };
    // Without its lease a worker that is telling them knows that they are not its own any more.
    const next = { ...decidedState(atRest(told, decided.atMs), decision), decided };
    const stored = await replaceItem(changeSteps(ports), told, next);
    if (stored === undefined) continue;
    return afterClose(await goOn(ports, stored), told.status === 'held');
  }
  throw new Error(
    `The changes of ${exportId} were written ${MAX_TRIES} times meanwhile. Ask again.`,
  );
}

function mayDecide(state: ChangeState, decision: ChangeDecision['decision']): boolean {
  const { status, stepsWithoutEvent } = state;
  const standsStill = status === 'publishing' && stepsWithoutEvent > 0;
  return isWaiting(state) || (standsStill && decision === 'discard');
}

function decidedState(
  { reason: _reason, ...state }: ChangeState,
  decision: ChangeDecision['decision'],
): ChangeState {
  if (decision === 'discard') return { ...state, status: 'discarded', closed: false };
  if (state.status === 'stopped') {
    const step = state.step + 1;
    return { ...state, status: 'publishing', step, stepsWithoutEvent: 0, wakeUpSent: false };
  }
  const { recordEvents, counts } = state;
  const status = counts === undefined ? 'found' : acceptedStatus(recordEvents, counts);
  return { ...state, status, wakeUpSent: false, closed: false };
}

async function goOn(ports: ChangePorts, state: ChangeState): Promise<ChangeState> {
  if (!state.closed) return closeChanges(ports, state);
  return (await wakeItem(changeSteps(ports), state)) ?? state;
}

/** What a person released may have become old before it was accepted. */
function afterClose(state: ChangeState, isFirst: boolean): Decided {
  const isLate = state.status === 'superseded' || state.status === 'outdated';
  return isLate ? { kind: 'not-waiting', state } : { kind: 'decided', state, isFirst };
}
