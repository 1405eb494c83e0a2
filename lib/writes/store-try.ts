import { commitItem, leaveItem } from '../steps/report.ts';
import { UnstorableItemError } from '../steps/unreadable-item.ts';
import { closeWhole } from './close-write.ts';
import type { WriteDecision } from './decide-write.ts';
import type { WriteName, WritePorts } from './ports.ts';
import { reportWithout, type WriteReport, writeReport } from './write-report.ts';
import type { WriteState } from './write-state.ts';
import { pointerTo, writeSteps } from './write-steps.ts';
import { withoutDetails } from './write-transitions.ts';

/** Stores the result of a try. A state that the ledger does not take is stored without what only explains it. */
export async function storeTry(
  ports: WritePorts,
  previous: WriteState,
  next: WriteState,
): Promise<WriteReport> {
  try {
    return await commit(ports, previous, next);
  } catch (error) {
    if (!(error instanceof UnstorableItemError)) throw error;
    return commit(ports, previous, withoutDetails(next, error.message));
  }
}

/** Commits the result of a try; then sends the next wake-up or publishes the end. */
async function commit(
  ports: WritePorts,
  previous: WriteState,
  next: WriteState,
): Promise<WriteReport> {
  const committed = await commitItem(writeSteps(ports), previous, next);
  if (committed.kind === 'overtaken') return writeReport('retry', 'overtaken', previous);
  const { kind: result, state } = committed;
  if (result !== 'over') return writeReport('acknowledge', result, state);
  const { status } = state;
  const isEnd = status === 'done' || status === 'refused' || status === 'unclear';
  const ended = isEnd ? status : 'over';
  try {
    await closeWhole(ports, state);
    return writeReport('acknowledge', ended, state);
  } catch (error) {
    // The end is stored by then: no later delivery of the message would report it again.
    return { ...writeReport('retry', ended, state), error };
  }
}

/** The state did not change, so the same message is sent again. */
export async function sendAgain(
  ports: WritePorts,
  state: WriteState,
  notBeforeMs: number,
): Promise<WriteReport> {
  await ports.queue.send(pointerTo(state), notBeforeMs);
  return writeReport('acknowledge', 'early', state);
}

/** Does what remains for a message whose write is not due now. */
export async function leaveWrite(
  ports: WritePorts,
  name: WriteName,
  decision: WriteDecision,
  nowMs: number,
): Promise<WriteReport> {
  switch (decision.kind) {
    case 'end':
      return storeTry(ports, decision.state, decision.next);
    case 'early':
      return sendAgain(ports, decision.state, decision.notBeforeMs);
    case 'ready':
      return sendAgain(ports, decision.state, nowMs);
    case 'missing':
      return reportWithout('acknowledge', 'missing', name);
    default: {
      const left = await leaveItem(writeSteps(ports), decision, (state) =>
        state.halted === undefined ? closeWhole(ports, state) : Promise.resolve(),
      );
      return writeReport(left.answer, left.result, decision.state);
    }
  }
}
