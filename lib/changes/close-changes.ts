import { defined } from '../defined.ts';
import { atRest } from '../steps/step-item.ts';
import { replaceItem, wakeItem } from '../steps/step-kind.ts';
import type { ChangeState, ChangeStatus, ComparedExport } from './change-state.ts';
import { changeSteps } from './change-steps.ts';
import {
  decideAccept,
  decideHold,
  type LookedAt,
  overIn,
  withoutComparing,
} from './comparison-line.ts';
import { removedPercentOf } from './hold-changes.ts';
import { changeLine, moveLine } from './move-line.ts';
import type { ChangePorts, ChangesEvent } from './ports.ts';

/**
 * Does what follows from the status: moves the line of the list, publishes the event, and sends the wake-up for record
 * events. Safe to repeat, at any crash: only then the state says that it is done, and until then the sweep repeats it.
 *
 * @returns The stored state, unless another process has written it since.
 */
export async function closeChanges(ports: ChangePorts, state: ChangeState): Promise<ChangeState> {
  if (state.closed) return state;
  const status = await moved(ports, state);
  const event = eventOf({ ...state, status });
  if (event !== undefined) await ports.events.publish(event);
  const kind = changeSteps(ports);
  const closed = { ...state, status, closed: true };
  const stored = await replaceItem(kind, state, closed);
  if (stored === undefined) return closed;
  return status === 'publishing' ? ((await wakeItem(kind, stored)) ?? stored) : stored;
}

/** The same for an export that another worker has compared meanwhile: what this one began goes. */
export async function closeCompared(ports: ChangePorts, state: ChangeState): Promise<ChangeState> {
  const closed = await closeChanges(ports, state);
  await forgetComparison(ports, closed);
  return closed;
}

/** Takes a comparison that does not go on out of the line of its list, where the next one would wait for it. */
export async function forgetComparison(
  ports: ChangePorts,
  { connection, list, exportId }: ComparedExport,
): Promise<void> {
  await changeLine(ports, { connection, list }, (line) => withoutComparing(line, exportId));
}

/** @returns The status, which may be another one by what the line has become meanwhile. */
async function moved(ports: ChangePorts, state: ChangeState): Promise<ChangeStatus> {
  switch (state.status) {
    case 'first':
    case 'found':
    case 'publishing':
    case 'held':
      return enter(ports, state);
    default:
      await leave(ports, state);
      return state.status;
  }
}

/**
 * They become the base of their list or, held, wait in its line: not in the place of newer ones. Whoever closes them may
 * have read them long ago.
 */
async function enter(ports: ChangePorts, state: ChangeState): Promise<ChangeStatus> {
  const isHeld = state.status === 'held';
  let heldBefore: string | undefined;
  const enterAfter = (looked?: LookedAt) =>
    moveLine(
      ports,
      state,
      (line) => {
        heldBefore = line?.held;
        // Only what might be told can wait for a person's word.
        return isHeld ? decideHold(line, state, looked) : decideAccept(line, state);
      },
      (decision) => (decision.kind === 'accept' ? decision.line : undefined),
    );
  let decision = await enterAfter();
  while (decision.kind === 'look') {
    const { exportId } = decision;
    const held = await ports.ledger.readChange(state.connection, exportId);
    decision = await enterAfter({ exportId, state: held });
  }
  const { kind } = decision;
  if (kind === 'accept') await supersede(ports, state, heldBefore);
  if (kind === 'accept' || (kind === 'accepted' && !isHeld)) return state.status;
  // Held before, and released meanwhile: the line has what is told of it.
  if (kind !== 'accepted') await leave(ports, state);
  return kind === 'outdated' ? 'outdated' : 'superseded';
}

/** What waits for a person has no meaning any more: newer changes of the same list were found. */
async function supersede(
  ports: ChangePorts,
  { connection, exportId: by }: ChangeState,
  exportId: string | undefined,
): Promise<void> {
  if (exportId === undefined || exportId === by) return;
  const state = await ports.ledger.readChange(connection, exportId);
  if (state?.status === 'held') await setSuperseded(ports, state);
}

/**
 * Supersedes held changes that the line of their list holds no more: whoever replaced them there may have crashed.
 *
 * @returns Whether they were superseded.
 */
export async function supersedeUnlessHeld(
  ports: ChangePorts,
  state: ChangeState,
): Promise<boolean> {
  const line = await ports.ledger.readComparisonLine(state.connection, state.list);
  if (line?.held === state.exportId) return false;
  await setSuperseded(ports, state);
  return true;
}

async function setSuperseded(ports: ChangePorts, state: ChangeState): Promise<void> {
  const next = { ...atRest(state, ports.clock.now()), status: 'superseded', closed: true } as const;
  await replaceItem(changeSteps(ports), state, next);
}

async function leave(ports: ChangePorts, state: ChangeState): Promise<void> {
  await changeLine(ports, state, (line) => {
    const { comparing, publishing, held } = line;
    const isIn = [comparing?.exportId, publishing, held].includes(state.exportId);
    return isIn ? overIn(line, state.exportId) : undefined;
  });
}

function eventOf(state: ChangeState): ChangesEvent | undefined {
  const { status, connection, list, exportId, startedAtMs, since, counts } = state;
  const { summary, maxRemovedPercent } = state;
  if (counts === undefined) return undefined;
  const isHeld = status === 'held';
  const isTold = isHeld || status === 'first' || status === 'found' || status === 'publishing';
  if (!isTold) return undefined;
  const kind = isHeld ? 'changes-held' : 'changes-found';
  return {
    id: `${connection}/${exportId}/${kind}`,
    kind,
    atMs: state.comparedAtMs,
    connection,
    list,
    exportId,
    exportStartedAtMs: startedAtMs,
    ...defined({ sinceExportId: since?.exportId }),
    ...(status === 'first' && { first: true }),
    counts,
    summaryKey: summary.key,
    ...(isHeld && { removedPercent: removedPercentOf(counts), maxRemovedPercent }),
  };
}
