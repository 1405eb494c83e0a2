import { defined } from '../defined.ts';
import { claimItem } from '../steps/claim.ts';
import { leaveItem } from '../steps/report.ts';
import { retryAtMs } from '../steps/retry-at.ts';
import { type Meaning, meaningOf, wakeItem } from '../steps/step-kind.ts';
import { closeExport } from './close-export.ts';
import type { Step } from './commit-step.ts';
import { type ExportState, hasEnded } from './export-state.ts';
import { countBrokenStep, nextStep } from './export-transitions.ts';
import type { Unrecorded } from './kept-wait.ts';

/**
 * After a step that ended by an error: lets the next one follow within seconds, later each time it happens in a row.
 * Otherwise the export would stand still until the lease is over and the sweep has seen that. What the step got since its
 * last commit is fetched again. A wait that the gate did not take is kept in the export's own item: the next worker would
 * ask too early.
 *
 * It never rejects: the ledger may take nothing at all, and then the sweep wakes the export.
 */
export async function handOn(step: Step, unrecorded: Unrecorded): Promise<void> {
  await goOn(step, unrecorded).catch(() => undefined);
}

async function goOn(step: Step, { untilMs }: Unrecorded): Promise<void> {
  const { ports, rules, kind, wakeUp } = step;
  const fraction = ports.random.fraction();
  const stored = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  const handed = await claimItem(
    kind,
    stored,
    async (state) => {
      const nowMs = ports.clock.now();
      return { meaning: meaningOf(kind, state, wakeUp.step, nowMs), nowMs };
    },
    ({ meaning, nowMs }) => {
      if (!mayGoOn(step, meaning)) return undefined;
      const { state } = meaning;
      return { from: state, to: afterError(state, { untilMs, nowMs, fraction }) };
    },
  );
  if (handed.kind === 'claimed') await wakeItem(kind, handed.claimed);
  if (handed.kind !== 'left') return;
  const { meaning } = handed.decision;
  if (meaning.kind !== 'open')
    await leaveItem(kind, meaning, (over) => closeExport(ports, rules, over));
}

/** Whether nobody has the step but this worker. */
function mayGoOn(
  { owner }: Step,
  meaning: Meaning<ExportState>,
): meaning is Extract<Meaning<ExportState>, { kind: 'open' | 'held' }> {
  if (meaning.kind === 'held') return meaning.state.lease?.owner === owner;
  return meaning.kind === 'open';
}

/** After so many in a row the next one comes some minutes later. */
const OFTEN_STEPS = 8;

interface Surroundings {
  /** The end of a wait that the gate did not take. */
  readonly untilMs: number;
  readonly nowMs: number;
  /** 0 (inclusive) to 1 (exclusive), for jitter. */
  readonly fraction: number;
}

/** The state after a step that ended by an error, without its lease. */
function afterError(state: ExportState, { untilMs, nowMs, fraction }: Surroundings): ExportState {
  const { lease, inRow, notBeforeMs, waitsSinceMs } = state;
  const { brokenSteps = 0 } = inRow;
  const againAtMs = Math.max(untilMs, retryAtMs(brokenSteps, fraction, nowMs));
  const { isWoken: _woken, isWaitUntold, ...counted } = countBrokenStep(state);
  // The bound is for crashes, minutes apart, and not for tries that are seconds apart.
  const stepsWithoutPage = (brokenSteps < OFTEN_STEPS ? inRow : counted.inRow).stepsWithoutPage;
  const broken = { ...counted, inRow: { ...counted.inRow, stepsWithoutPage } };
  // Nobody had claimed it: what it waits for is what it waited for before.
  if (lease === undefined && notBeforeMs > againAtMs) {
    return { ...nextStep(broken, notBeforeMs, nowMs), ...defined({ waitsSinceMs, isWaitUntold }) };
  }
  const next = { ...nextStep(broken, againAtMs, nowMs), lastRequestAtMs: nowMs };
  if (untilMs > nowMs) return { ...next, waitsFor: 'throttled', isWaitUntold: true };
  const leavesLine = lease !== undefined && hasEnded(state);
  return { ...next, waitsFor: 'failed-call', ...(leavesLine && { leavesLine }) };
}
