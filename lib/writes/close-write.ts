import { defined } from '../defined.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { isOrdered, leaveLine } from './order-line.ts';
import type { ClosePorts, WriteEvent } from './ports.ts';
import type { WriteState } from './write-state.ts';
import { isOver, writeSteps } from './write-steps.ts';

export interface Closed {
  /** The stored state, unless another process has written it since. */
  readonly state: WriteState;
  /** What the event bus threw: the sweep tries again. */
  readonly untold?: Failure;
}

interface Failure {
  readonly error: unknown;
}

/**
 * Wakes the next write of the order line of a write that is over, publishes its end, and stores that both are done. Neither
 * holds up the other, nor another write. Safe to repeat. The store comes last: until then the sweep retries.
 *
 * @param state Done, refused or unclear.
 * @throws What ledger and queue throw.
 */
export async function closeWrite(ports: ClosePorts, state: WriteState): Promise<Closed> {
  // Also when it is closed: a delayed worker may have put it back into the line.
  const stuck =
    isOrdered(state) && isOver(state) ? await failureOf(leaveLine(ports, state)) : undefined;
  const news = newsOf(state);
  const untold = await failureOf(publishAll(ports, news));
  if (stuck !== undefined && (untold !== undefined || news.length === 0)) throw stuck.error;
  if (untold !== undefined) return { state, untold };
  if (state.closed) return { state };
  const { untold: _told, ...rest } = state;
  const next = { ...rest, unannounced: false, closed: stuck === undefined };
  const stored = (await replaceItem(writeSteps(ports), state, next)) ?? next;
  if (stuck !== undefined) throw stuck.error;
  return { state: stored };
}

/** As {@link closeWrite}, for callers that try again as a whole. @throws What the event bus throws, too. */
export async function closeWhole(ports: ClosePorts, state: WriteState): Promise<void> {
  const { untold } = await closeWrite(ports, state);
  if (untold !== undefined) throw untold.error;
}

/** What of a write is still to be told, in its order. */
function newsOf(state: WriteState): readonly Told[] {
  const { connection, writeId, operation, orderKey, untold = [] } = state;
  const write = { connection, writeId, operation, ...defined({ orderKey }) };
  const unclear = untold.map((before) => ({ ...write, ...before, status: 'unclear' as const }));
  return state.unannounced ? [...unclear, state] : unclear;
}

async function publishAll({ events }: ClosePorts, news: readonly Told[]): Promise<void> {
  for (const each of news) {
    const event = eventOf(each);
    if (event !== undefined) await events.publish(event);
  }
}

async function failureOf(work: Promise<void>): Promise<Failure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return { error };
  }
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
