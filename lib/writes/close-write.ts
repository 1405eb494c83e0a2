import { defined } from '../defined.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { isOrdered, leaveLine } from './order-line.ts';
import type { ClosePorts, WriteEvent } from './ports.ts';
import type { WriteState } from './write-state.ts';
import { isOver, writeSteps } from './write-steps.ts';

/**
 * Wakes the next write of the order line of a write that is over, publishes its end, and stores that both are done: an
 * event bus that takes nothing holds up no other write. Safe to repeat. The store comes last: until then the sweep retries.
 *
 * @param state Done, refused or unclear.
 * @returns The stored state, unless another process has written it since.
 */
export async function closeWrite(ports: ClosePorts, state: WriteState): Promise<WriteState> {
  // Also when it is closed: a delayed worker may have put it back into the line.
  if (isOrdered(state) && isOver(state)) await leaveLine(ports, state);
  const { untold = [], ...told } = state;
  const { connection, writeId, operation, orderKey } = state;
  const write = { connection, writeId, operation, ...defined({ orderKey }) };
  const unclear = untold.map((before) => ({ ...write, ...before, status: 'unclear' as const }));
  for (const each of state.unannounced ? [...unclear, state] : unclear) {
    const event = eventOf(each);
    if (event !== undefined) await ports.events.publish(event);
  }
  if (state.closed) return state;
  const closed = { ...told, unannounced: false, closed: true };
  return (await replaceItem(writeSteps(ports), state, closed)) ?? closed;
}

type Told = Pick<
  WriteState,
  'connection' | 'writeId' | 'operation' | 'status' | 'attempt' | 'updatedAtMs'
> &
  Partial<Pick<WriteState, 'orderKey' | 'answer' | 'reason' | 'settledBy'>>;

function eventOf(state: Told): WriteEvent | undefined {
  const { status: kind, connection, writeId, attempt, orderKey, answer, reason } = state;
  if (kind === 'intended' || kind === 'sent') return undefined;
  const { apiCode } = reason ?? {};
  const status = answer?.status ?? reason?.status;
  const requestId = answer?.requestId ?? reason?.requestId;
  return {
    // An unclear write can be retried and end again; the attempt keeps these event ids apart.
    id: `${connection}/${writeId}/${kind}/${attempt}`,
    kind,
    atMs: state.updatedAtMs,
    connection,
    writeId,
    operation: state.operation.name,
    ...defined({ orderKey, status, apiCode, requestId, settledBy: state.settledBy }),
    ...(reason === undefined ? {} : { reasonCode: reason.code, reasonMessage: reason.message }),
  };
}
