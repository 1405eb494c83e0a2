import { backoffMs } from '../backoff.ts';
import { defined } from '../defined.ts';
import { claimItem } from '../steps/claim.ts';
import { commitItem, type Left, leaveItem, type StepAnswer } from '../steps/report.ts';
import {
  atRest,
  endOfInvocationMs,
  type Invocation,
  released,
  underLease,
} from '../steps/step-item.ts';
import { meaningOf, replaceItem } from '../steps/step-kind.ts';
import type { ChangeState } from './change-state.ts';
import { CHANGE_MEANING, changeSteps } from './change-steps.ts';
import { closeChanges } from './close-changes.ts';
import type { ChangePointer, PublishPorts } from './ports.ts';
import { recordEntry } from './record-event.ts';
import { sendEntries } from './send-entries.ts';
import { ChangesDamagedError, changesFrom, storedSummary } from './untold-changes.ts';

interface PublishReport {
  readonly answer: StepAnswer;
  readonly result: Left<ChangeState>['result'] | 'published' | 'stopped' | 'closed';
  readonly state?: ChangeState;
  readonly told: number;
  /** What a call of EventBridge threw last, where it takes no more; with `retry`, what the commit threw. */
  readonly error?: unknown;
}

/** For the last batch with its waits, the commit and the next wake-up. */
const COMMIT_RESERVE_MS = 15_000;
const BACKOFF = { firstMs: 5_000, mostMs: 600_000, leastShare: 0.5 };
/** After so many of them in a row, hours, only the sweep wakes it: the chain of messages ends. */
const MAX_STEPS_WITHOUT_EVENT = 20;

/**
 * Handles one wake-up: claims the step, sends an event for each change that is not told yet until time is up, commits
 * how far it came, and sends the next wake-up. After any loss the ledger alone decides where it goes on, so a change
 * may be told again, always under the same id.
 *
 * @throws What a port throws: report the message as failed, so that it is delivered again.
 */
export async function publishStep(
  ports: PublishPorts,
  pointer: ChangePointer,
  invocation: Invocation,
): Promise<PublishReport> {
  const kind = changeSteps(ports);
  const first = await ports.ledger.readChange(pointer.connection, pointer.exportId);
  if (first !== undefined && !first.closed) {
    // Its list has to know of it before anybody else; the wake-up for its events follows from that.
    const state = await closeChanges(ports, first);
    return { answer: 'acknowledge', result: 'closed', state, told: 0 };
  }
  const untilMs = endOfInvocationMs(invocation, ports.clock.now());
  const lease = { owner: ports.random.token(), untilMs };
  const decide = async (state: ChangeState | undefined) =>
    meaningOf(CHANGE_MEANING, state, pointer.step, ports.clock.now());
  const claimed = await claimItem(kind, first, decide, (meaning) => {
    const nowMs = ports.clock.now();
    if (meaning.kind !== 'open' || meaning.state.notBeforeMs > nowMs) return undefined;
    return { from: meaning.state, to: underLease(meaning.state, lease, nowMs) };
  });
  if (claimed.kind === 'contended') return { answer: 'retry', result: 'overtaken', told: 0 };
  if (claimed.kind === 'claimed') {
    return work(ports, claimed.claimed, untilMs - COMMIT_RESERVE_MS);
  }
  const { decision } = claimed;
  if (decision.kind === 'open') {
    const { state } = decision;
    await kind.send(state, state.notBeforeMs);
    return { answer: 'acknowledge', result: 'early', state, told: 0 };
  }
  return { ...(await leaveItem(kind, decision, (state) => closeChanges(ports, state))), told: 0 };
}

async function work(
  ports: PublishPorts,
  claimed: ChangeState,
  stopAtMs: number,
): Promise<PublishReport> {
  const isTimeUp = () => ports.clock.now() >= stopAtMs;
  try {
    const { state, isOver, error } = await tell(ports, claimed, isTimeUp);
    if (state === undefined) return { answer: 'acknowledge', result: 'overtaken', told: 0 };
    const told = state.next - claimed.next;
    try {
      if (isOver) return await endWith(ports, { ...state, status: 'published' }, told);
      return { ...(await goOn(ports, state, told)), ...defined({ error }) };
    } catch (problem) {
      await handOn(ports, claimed);
      // What was told is stored by then: no later delivery of the message would report it again.
      const result = isOver ? 'published' : 'goes-on';
      return { answer: 'retry', result, state, told, error: problem };
    }
  } catch (error) {
    if (error instanceof ChangesDamagedError) return await stop(ports, claimed, error.message);
    await handOn(ports, claimed);
    throw error;
  }
}

/**
 * After an error: lets the next step follow within seconds, instead of when the lease is over and the sweep has seen that.
 * It never rejects: the ledger may take nothing at all, and then the sweep wakes it.
 */
async function handOn(ports: PublishPorts, claimed: ChangeState): Promise<void> {
  const kind = changeSteps(ports);
  try {
    const current = await kind.read(claimed);
    const meaning = meaningOf(kind, current, claimed.step, ports.clock.now());
    if (meaning.kind === 'held' || meaning.kind === 'open') {
      const { state } = meaning;
      const isOurs = state.lease?.owner === claimed.lease?.owner;
      if (isOurs) await goOn(ports, state, state.next - claimed.next);
    } else {
      await leaveItem(kind, meaning, (state) => closeChanges(ports, state));
    }
  } catch {}
}

interface Told {
  /** The stored state; `undefined` when another worker has it by now. */
  readonly state: ChangeState | undefined;
  readonly isOver: boolean;
  readonly error?: unknown;
}

/** Tells change after change, and commits after each block. */
async function tell(
  ports: PublishPorts,
  claimed: ChangeState,
  isTimeUp: () => boolean,
): Promise<Told> {
  const { files, idKey } = await storedSummary(ports, claimed);
  const { integration, bucket } = ports;
  const about = { state: claimed, integration, bucket, idKey };
  let state = claimed;
  for await (const { first, changes } of changesFrom(ports, files, claimed.next)) {
    if (isTimeUp()) return { state, isOver: false };
    const entries = changes.map((change, index) => {
      const entry = recordEntry(about, change);
      if (entry !== undefined) return entry;
      throw new ChangesDamagedError(
        claimed.summary.key,
        `names as change ${first + index + 1} one that fits into no event`,
      );
    });
    const { told, ...left } = await sendEntries({ ...ports, isTimeUp }, entries);
    const next = { ...state, next: first + told, updatedAtMs: ports.clock.now() };
    const stored = await replaceItem(changeSteps(ports), state, next);
    if (stored === undefined) return { state: undefined, isOver: false };
    state = stored;
    if (told < entries.length) return { state, isOver: false, ...left };
  }
  return { state, isOver: true };
}

async function goOn(ports: PublishPorts, state: ChangeState, told: number): Promise<PublishReport> {
  const nowMs = ports.clock.now();
  const stepsWithoutEvent = told > 0 ? 0 : state.stepsWithoutEvent + 1;
  const waitMs = told > 0 ? 0 : backoffMs(BACKOFF, stepsWithoutEvent - 1, ports.random.fraction());
  const next = {
    ...released(state, nowMs + waitMs, nowMs),
    step: state.step + 1,
    stepsWithoutEvent,
  };
  const kind = changeSteps(ports);
  if (stepsWithoutEvent >= MAX_STEPS_WITHOUT_EVENT) {
    const asleep = await replaceItem(kind, state, { ...next, wakeUpSent: true });
    return { answer: 'acknowledge', result: 'goes-on', state: asleep ?? next, told };
  }
  const committed = await commitItem(kind, state, next);
  if (committed.kind === 'overtaken') return { answer: 'acknowledge', result: 'overtaken', told };
  return { answer: 'acknowledge', result: 'goes-on', state: committed.state, told };
}

async function endWith(
  ports: PublishPorts,
  ended: ChangeState,
  told: number,
): Promise<PublishReport> {
  const nowMs = ports.clock.now();
  const next = { ...atRest(ended, nowMs), step: ended.step + 1, closed: false };
  const stored = await replaceItem(changeSteps(ports), ended, next);
  if (stored === undefined) return { answer: 'acknowledge', result: 'overtaken', told };
  const state = await closeChanges(ports, stored);
  return { answer: 'acknowledge', result: 'published', state, told };
}

/** A person has to decide: the list keeps its place for it, so that nothing newer is told before. */
async function stop(
  ports: PublishPorts,
  claimed: ChangeState,
  reason: string,
): Promise<PublishReport> {
  const kind = changeSteps(ports);
  // What was told before the damage is in the ledger; the claim may be older.
  const current = (await kind.read(claimed)) ?? claimed;
  if (current.lease?.owner !== claimed.lease?.owner) {
    return { answer: 'acknowledge', result: 'overtaken', told: 0 };
  }
  const nowMs = ports.clock.now();
  const next: ChangeState = {
    ...atRest(current, nowMs),
    status: 'stopped',
    reason,
    step: current.step + 1,
  };
  const state = await replaceItem(kind, current, next);
  if (state === undefined) return { answer: 'acknowledge', result: 'overtaken', told: 0 };
  return { answer: 'acknowledge', result: 'stopped', state, told: current.next - claimed.next };
}
