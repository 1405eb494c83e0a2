import { lookAtGate } from '../gate/gate-look.ts';
import type { GateLook } from '../gate/ports.ts';
import { claimItem } from '../steps/claim.ts';
import { leaveItem } from '../steps/report.ts';
import { endOfInvocationMs, type Invocation, type Lease } from '../steps/step-item.ts';
import { meaningOf } from '../steps/step-kind.ts';
import { UnstorableItemError } from '../steps/unreadable-item.ts';
import { announceMeanwhile } from './announce.ts';
import { type ExportRules, hasManifest } from './begin-export.ts';
import { isLeaving } from './cancelled.ts';
import { type ClaimDecision, claimState, decideClaim } from './claim.ts';
import { closeExport, endTurn } from './close-export.ts';
import {
  type ClaimedStep,
  commitStep,
  leaveCancelledStep,
  overtaken,
  type Step,
} from './commit-step.ts';
import { type ExportState, hasEnded } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { fail, failUnstorable } from './export-transitions.ts';
import { handOn } from './hand-on.ts';
import { notingWaits, recordKeptWait } from './kept-wait.ts';
import type { ExportPorts, WakeUp } from './ports.ts';
import { type StepReport, stepReport, withShare } from './step-report.ts';
import { takeBackManifest } from './take-back-manifest.ts';
import { workOnStep } from './work-on-step.ts';

/**
 * Time for the work after the last page: store the last two parts, up to 12 MB each, and their indexes, seven small
 * writes and one message. Each usually takes less than a second. If one hangs until the SDK retries it, the pages of
 * both parts are fetched again.
 */
const COMMIT_RESERVE_MS = 10_000;

interface StepInvocation extends Invocation {
  /**
   * A person waits for the end, so an address that cannot be reached ends the export unless it was answered once:
   * files of an earlier export may be of another address.
   *
   * @default false
   */
  readonly isAttended?: boolean;
}

/**
 * Handles one wake-up: claims the step, fetches pages until something stops it, commits, and sends the next
 * wake-up. After any loss the ledger alone decides how the export continues.
 *
 * @throws What a port throws: report the message as failed, so that it is delivered again.
 */
export async function runStep(
  given: ExportPorts,
  rules: ExportRules,
  wakeUp: WakeUp,
  invocation: StepInvocation,
): Promise<StepReport> {
  const { ports, unrecorded } = notingWaits(given);
  const owner = ports.random.token();
  const { isAttended = false } = invocation;
  const step: Step = { ports, owner, rules, wakeUp, kind: exportSteps(ports), isAttended };
  try {
    return await claimAndWork(step, invocation);
  } catch (error) {
    if (error instanceof UnstorableItemError) return endUnstorable(step, error);
    await handOn(step, unrecorded);
    throw error;
  }
}

async function claimAndWork(step: Step, invocation: Invocation): Promise<StepReport> {
  const { ports, wakeUp } = step;
  const first = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  const claim = await claimItem(
    step.kind,
    first,
    (state) => look(step, state, invocation),
    ({ decision, lease, nowMs }) =>
      decision.kind === 'claim'
        ? { from: decision.state, to: claimState(decision.state, lease, nowMs) }
        : undefined,
  );
  if (claim.kind === 'contended') {
    return stepReport(wakeUp, { answer: 'retry', result: 'contended' });
  }
  const { decision, lease, gate, nowMs } = claim.decision;
  if (decision.kind === 'early') return leaveEarly(step, decision, gate);
  if (decision.kind !== 'claim') return leave(step, decision, nowMs);
  if (claim.kind === 'left') return stepReport(wakeUp, { answer: 'retry', result: 'contended' });
  const leftMs = lease.untilMs - nowMs;
  const stopAtMs = lease.untilMs - Math.min(COMMIT_RESERVE_MS, leftMs / 2);
  const claimed: ClaimedStep = { ...step, claimed: claim.claimed, lease, stopAtMs, gate };
  if (claim.claimed.leavesLine) await endTurn(ports, step.rules, claim.claimed);
  const { broken } = decision;
  const report =
    !broken || (await mayBeCompleted(claimed))
      ? await workOnStep(claimed)
      : await commitStep(claimed, claim.claimed, fail(claim.claimed, broken, nowMs));
  return withShare(report, claim.claimed.counters);
}

/**
 * Whether an export past a bound has its manifest, which is written after the end of the list. Whoever wrote it may have
 * crashed before the ledger had it: that export is completed, however late.
 *
 * @throws What the bucket throws: then nobody knows. The next claim lets the other lists go on, see `claimState`.
 */
async function mayBeCompleted({ ports, claimed }: ClaimedStep): Promise<boolean> {
  return hasEnded(claimed) && hasManifest(ports.store, claimed);
}

/** The ledger would refuse the same state again, so the export ends from the last state that it took. */
async function endUnstorable(step: Step, { message }: UnstorableItemError): Promise<StepReport> {
  const { ports, owner, wakeUp } = step;
  const stored = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  const nowMs = ports.clock.now();
  const meaning = meaningOf(step.kind, stored, wakeUp.step, nowMs);
  const isOurs = meaning.kind === 'held' && meaning.state.lease?.owner === owner;
  if (meaning.kind !== 'open' && !isOurs) return overtaken(step);
  const { state } = meaning;
  return withShare(
    await commitStep(step, state, failUnstorable(state, message, nowMs)),
    state.counters,
  );
}

/** The meaning of the wake-up now, and the lease for a claim. */
async function look(
  { ports, owner, rules, wakeUp, kind }: Step,
  state: ExportState | undefined,
  invocation: Invocation,
) {
  const gate = await lookAtGate(ports, wakeUp.connection);
  const nowMs = ports.clock.now();
  const meaning = meaningOf(kind, state, wakeUp.step, nowMs);
  const decision = decideClaim(meaning, gate, nowMs, rules);
  const lease: Lease = { owner, untilMs: endOfInvocationMs(invocation, nowMs) };
  return { decision, lease, gate, nowMs };
}

async function leave(
  step: Step,
  decision: Exclude<ClaimDecision, { kind: 'claim' | 'early' }>,
  nowMs: number,
): Promise<StepReport> {
  const { ports, rules, wakeUp, kind } = step;
  if (decision.kind === 'over' && isLeaving(decision.state, nowMs)) {
    return leaveCancelledStep(step, decision.state);
  }
  let untold: unknown;
  const left = await leaveItem(kind, decision, async (state) => {
    untold = await closeExport(ports, rules, state);
    await takeBackManifest(ports.store, state);
  });
  return stepReport(wakeUp, left, untold);
}

async function leaveEarly(
  { ports, wakeUp }: Step,
  { state, notBeforeMs }: Extract<ClaimDecision, { kind: 'early' }>,
  gate: Pick<GateLook, 'blockedUntilMs'>,
): Promise<StepReport> {
  await recordKeptWait(ports, state, notBeforeMs, gate);
  await ports.queue.send(wakeUp, notBeforeMs);
  const untold = await announceMeanwhile(ports, state);
  return stepReport(wakeUp, { answer: 'acknowledge', result: 'early', state }, untold);
}
