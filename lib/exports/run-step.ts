import { type AnswerFacts, answerFacts } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { lookAtGate } from '../gate/gate-look.ts';
import type { GateLook } from '../gate/ports.ts';
import { type UsableConnection, usableConnection } from '../gate/usable-connection.ts';
import { claimItem } from '../steps/claim.ts';
import { delaySecondsUntil } from '../steps/delay.ts';
import { commitItem, leaveItem } from '../steps/report.ts';
import type { Invocation, Lease } from '../steps/step-item.ts';
import { meaningOf, replaceItem, type StepKind } from '../steps/step-kind.ts';
import { UnstorableItemError } from '../steps/unreadable-item.ts';
import { admitStep } from './admit-step.ts';
import {
  afterStep,
  countStepWithoutPage,
  fail,
  failUnstorable,
  halt,
  keyRejected,
  keyUnusable,
  nextStep,
} from './after-step.ts';
import { announceMeanwhile } from './announce.ts';
import type { ExportRules } from './begin-export.ts';
import { isLeaving } from './cancelled.ts';
import { type ClaimDecision, claimState, decideClaim } from './claim.ts';
import { closeExport } from './close-export.ts';
import { type Copied, copyPages } from './copy-pages.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { finishExport } from './finish-export.ts';
import { hasAnswer, isFirstContact } from './first-contact.ts';
import { leaveCancelled } from './leave-cancelled.ts';
import type { ExportPorts, WakeUp } from './ports.ts';
import { type StepReport, stepReport, withPace, withShare } from './step-report.ts';

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

interface Step {
  readonly ports: ExportPorts;
  /** Of the lease, if this worker gets one. */
  readonly owner: string;
  readonly rules: ExportRules;
  readonly wakeUp: WakeUp;
  readonly kind: StepKind<ExportState>;
  readonly isAttended: boolean;
}

interface ClaimedStep extends Step {
  readonly claimed: ExportState;
  readonly lease: Lease;
  /** From then on no request is sent: what is left of the lease is for the commit. */
  readonly stopAtMs: number;
  readonly gate: GateLook;
}

type Progress = Pick<Extract<Copied, { kind: 'copied' }>, 'base' | 'state'>;

/**
 * Handles one wake-up: claims the step, fetches pages until something stops it, commits, and sends the next
 * wake-up. After any loss the ledger alone decides how the export continues.
 *
 * @throws What a port throws: report the message as failed, so that it is delivered again.
 */
export async function runStep(
  ports: ExportPorts,
  rules: ExportRules,
  wakeUp: WakeUp,
  invocation: StepInvocation,
): Promise<StepReport> {
  const owner = ports.random.token();
  const { isAttended = false } = invocation;
  const step: Step = { ports, owner, rules, wakeUp, kind: exportSteps(ports), isAttended };
  try {
    return await claimAndWork(step, invocation);
  } catch (error) {
    if (error instanceof UnstorableItemError) return endUnstorable(step, error);
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
  if (decision.kind !== 'claim') return leave(step, decision, nowMs);
  if (claim.kind === 'left') return stepReport(wakeUp, { answer: 'retry', result: 'contended' });
  const leftMs = lease.untilMs - nowMs;
  const stopAtMs = lease.untilMs - Math.min(COMMIT_RESERVE_MS, leftMs / 2);
  const claimed: ClaimedStep = { ...step, claimed: claim.claimed, lease, stopAtMs, gate };
  const report =
    decision.broken === undefined
      ? await work(claimed)
      : await commit(claimed, claim.claimed, fail(claim.claimed, decision.broken, nowMs));
  return withShare(report, claim.claimed.counters);
}

/** The ledger would refuse the same state again, so the export ends from the last state that it took. */
async function endUnstorable(step: Step, { message }: UnstorableItemError): Promise<StepReport> {
  const { ports, owner, wakeUp } = step;
  const stored = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  const nowMs = ports.clock.now();
  const meaning = meaningOf(step.kind, stored, wakeUp.step, nowMs);
  const isOurs = meaning.kind === 'held' && meaning.state.lease?.owner === owner;
  if (meaning.kind !== 'open' && !isOurs) return overtaken(step);
  return commit(step, meaning.state, failUnstorable(meaning.state, message, nowMs));
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
  const lease: Lease = { owner, untilMs: nowMs + Math.max(0, invocation.remainingMs()) };
  return { decision, lease, gate, nowMs };
}

async function leave(
  step: Step,
  decision: Exclude<ClaimDecision, { kind: 'claim' }>,
  nowMs: number,
): Promise<StepReport> {
  const { ports, rules, wakeUp, kind } = step;
  if (decision.kind === 'over' && isLeaving(decision.state, nowMs)) {
    return leaveCancelledStep(step, decision.state);
  }
  if (decision.kind !== 'early') {
    const left = await leaveItem(kind, decision, (state) => closeExport(ports, rules, state));
    return stepReport(wakeUp, left);
  }
  const { state, notBeforeMs } = decision;
  await ports.queue.send(wakeUp, delaySecondsUntil(notBeforeMs, nowMs));
  const eventProblem = await announceMeanwhile(ports, state);
  return stepReport(wakeUp, { answer: 'acknowledge', result: 'early', state }, eventProblem);
}

async function work(step: ClaimedStep): Promise<StepReport> {
  const { ports, rules, claimed, lease, gate, stopAtMs } = step;
  if (claimed.end !== undefined) return finish(step, claimed, claimed.end.atMs);
  const opened = await usableConnection(ports.connections, claimed.connection, gate);
  if (opened.kind !== 'open') {
    return stopWithoutKey(step, { base: claimed, state: claimed }, opened, {});
  }
  const { requestsPerSecond = rules.export.requestsPerSecond } = opened;
  const paced = { ...rules.export, ...defined({ requestsPerSecond }) };
  const around = { claimed, lease, connection: opened, gate, stopAtMs };
  const admission = await admitStep(ports, paced, around);
  if (admission.kind === 'organization-changed') {
    return commit(step, claimed, fail(admission.counted, admission.reason, ports.clock.now()));
  }
  const copied =
    admission.kind === 'stopped'
      ? { kind: 'copied' as const, base: claimed, state: admission.counted, stop: admission.stop }
      : await copyPages(ports, paced, { ...around, ...admission, claimed: admission.counted });
  if (copied.kind === 'overtaken') return overtaken(step);
  const report = await goOn(step, opened.keyVersion, copied);
  return withPace(report, copied.requestsPerSecond);
}

async function goOn(
  step: ClaimedStep,
  keyVersion: string,
  copied: Extract<Copied, { kind: 'copied' }>,
): Promise<StepReport> {
  const { ports, rules, claimed, kind } = step;
  const { base, state, stop } = copied;
  const nowMs = ports.clock.now();
  switch (stop.kind) {
    case 'ended': {
      const ended = await replaceItem(kind, base, state);
      if (ended === undefined) return overtaken(step);
      return finish(step, ended, ended.end?.atMs ?? nowMs);
    }
    case 'cancelled':
      return overtaken(step);
    case 'key-halted':
      return replaceKey(step, copied, keyVersion, {});
    case 'authentication-failure':
      return replaceKey(step, copied, keyVersion, answerFacts(stop.outcome));
    default: {
      const isUnreachable = stop.kind === 'unavailable' && stop.outcome.reason === 'unreachable';
      const around = {
        nowMs,
        settings: rules.export,
        fraction: ports.random.fraction(),
        isFirstContact: isUnreachable && (await isFirst(step, state)),
      };
      const next = afterStep({ before: claimed, state, stop }, around);
      return commit(step, base, next);
    }
  }
}

async function isFirst({ ports, gate, rules, isAttended }: ClaimedStep, state: ExportState) {
  if (isAttended) return !hasAnswer(state);
  return isFirstContact(ports.store, gate, state, rules.lists.keys());
}

/** If the key was replaced while a cached one was in use, the next step continues with the new key. */
async function replaceKey(
  step: ClaimedStep,
  progress: Progress,
  keyVersion: string,
  facts: AnswerFacts,
): Promise<StepReport> {
  const { ports } = step;
  const { base, state } = progress;
  const { haltedKeyVersions } = await ports.gates.read(state.connection);
  const gate = { haltedKeyVersions: [...haltedKeyVersions, keyVersion] };
  const opened = await usableConnection(ports.connections, state.connection, gate);
  if (opened.kind !== 'open') return stopWithoutKey(step, progress, opened, facts);
  const nowMs = ports.clock.now();
  return commit(step, base, nextStep(countStepWithoutPage(state), nowMs, nowMs));
}

async function stopWithoutKey(
  step: ClaimedStep,
  { base, state }: Progress,
  opened: Exclude<UsableConnection, { kind: 'open' }>,
  facts: AnswerFacts,
): Promise<StepReport> {
  const reason =
    opened.kind === 'no-key'
      ? keyUnusable(opened)
      : keyRejected(state.connection, opened.keyVersion, facts);
  return commit(step, base, halt(state, reason, opened.keyVersion, step.ports.clock.now()));
}

async function finish(
  step: ClaimedStep,
  state: ExportState,
  endedAtMs: number,
): Promise<StepReport> {
  const { ports, rules, wakeUp } = step;
  const finished = await finishExport(ports, state, endedAtMs, step);
  if (finished.kind === 'overtaken') return overtaken(step);
  if (finished.kind === 'lost') {
    return commit(step, state, fail(state, finished.reason, ports.clock.now()));
  }
  if (finished.kind === 'unfinished') {
    const nowMs = ports.clock.now();
    return commit(step, state, nextStep(finished.state, nowMs, nowMs));
  }
  await closeExport(ports, rules, finished.state);
  return stepReport(wakeUp, {
    answer: 'acknowledge',
    result: 'completed',
    state: finished.state,
  });
}

/** Commits the result of the step; then sends the next wake-up or publishes the end. */
async function commit(step: Step, base: ExportState, next: ExportState): Promise<StepReport> {
  const { ports, rules, wakeUp, kind } = step;
  const committed = await commitItem(kind, base, next);
  if (committed.kind === 'overtaken') return overtaken(step);
  const { state } = committed;
  if (committed.kind !== 'goes-on') {
    await closeExport(ports, rules, state);
    const result = state.status === 'running' ? 'goes-on' : state.status;
    return stepReport(wakeUp, { answer: 'acknowledge', result, state });
  }
  const { marked } = committed;
  const eventProblem = marked === undefined ? undefined : await announceMeanwhile(ports, marked);
  return stepReport(wakeUp, { answer: 'acknowledge', result: 'goes-on', state }, eventProblem);
}

/** Nothing of this worker counts: another one has continued, or the export was cancelled. */
async function overtaken(step: Step): Promise<StepReport> {
  const { ports, wakeUp } = step;
  const state = await ports.ledger.readExport(wakeUp.connection, wakeUp.exportId);
  if (state?.status === 'cancelled') return leaveCancelledStep(step, state);
  const result = { answer: 'retry', result: 'overtaken' } as const;
  return stepReport(wakeUp, { ...result, ...defined({ state }) });
}

async function leaveCancelledStep(step: Step, seen: ExportState): Promise<StepReport> {
  const { ports, rules, owner, wakeUp } = step;
  const { kind, state } = await leaveCancelled(ports, rules, owner, seen);
  const answer = kind === 'left' ? 'acknowledge' : 'retry';
  return stepReport(wakeUp, { answer, result: kind === 'left' ? 'cancelled' : 'held', state });
}
