import type { WriteOutcome } from '../customers-api/outcome.ts';
import { isResource } from '../customers-api/resource-url.ts';
import { defined } from '../defined.ts';
import { endOfWaitMs } from '../gate/blocked-until.ts';
import type { BoundClient } from '../gate/gated-client.ts';
import { type Blocked, type BoundNotSent, blocked } from '../gate/not-sent.ts';
import { WOKEN } from '../gate/pause.ts';
import type { Gate } from '../gate/ports.ts';
import { claimItem } from '../steps/claim.ts';
import type { Lease } from '../steps/step-item.ts';
import { meaningOf, replaceItem } from '../steps/step-kind.ts';
import { credentialFor } from './accept-write.ts';
import { afterAnswer, afterNothingLeft, afterRefusal } from './after-answer.ts';
import { afterCheck } from './after-check.ts';
import {
  claimWrite,
  decideWrite,
  type Sending,
  sentAsOf,
  stepOf,
  type WriteDecision,
  type WriteStep,
} from './decide-write.ts';
import type { WritePorts } from './ports.ts';
import { type CheckResult, runCheck } from './run-check.ts';
import { leaveWrite, sendAgain, storeTry } from './store-try.ts';
import { type WriteReport, writeReport } from './write-report.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';
import { writeSteps } from './write-steps.ts';
import { nextTry } from './write-transitions.ts';

/**
 * Time for the work after an answer: four small writes, an event and a message. Each usually takes far less
 * than a second; the AWS SDK may retry each twice.
 */
export const COMMIT_RESERVE_MS = 10_000;

type ReadyWrite = Extract<WriteDecision, { kind: 'ready' }>;

export interface WriteWork {
  readonly ports: WritePorts;
  readonly settings: WriteSettings;
  /** Sends nothing to another organization than the write's. */
  readonly clientOf: (state: WriteState) => BoundClient;
  readonly endsAtMs: number;
  /** The wait and the pace in the gate, shared by all writes of the invocation. */
  readonly wait: {
    blockedUntilMs: number;
    /** Of the longest wait that the gate did not take, 0 for none. */
    untoldUntilMs: number;
  } & Pick<Gate, 'pace' | 'opening'>;
  /** Takes a place for another request and waits for its time. @returns `false` when there is none in time. */
  readonly takePlace: () => Promise<boolean>;
}

/**
 * Claims a write whose place has come, sends or checks it, and stores the result.
 *
 * @throws What a port throws; the ledger then has what is known.
 */
export async function carryOutWrite(work: WriteWork, ready: ReadyWrite): Promise<WriteReport> {
  const { ports, settings } = work;
  const { state } = ready;
  const credential = await credentialFor(ports, state);
  const nowMs = ports.clock.now();
  const sending = { nowMs, credential };
  if (work.wait.blockedUntilMs > nowMs) return sendAgain(ports, state, work.wait.blockedUntilMs);
  // Decide again: during the wait for its place the key may have expired, or be another one.
  const step = stepOf(ready.known, sending, settings);
  if (step?.kind !== ready.step.kind || !hasTime(work)) return sendAgain(ports, state, nowMs);
  const claim = await claimReady(work, state, step, sending);
  if (claim.kind === 'contended') return writeReport('retry', 'overtaken', state);
  const { decision } = claim;
  if (claim.kind === 'left' || decision.kind !== 'ready')
    return leaveWrite(ports, state, decision, nowMs);
  const { known } = decision;
  const { claimed } = claim;
  if (step.kind === 'send') return send(work, known, claimed, step);

  const result = await orNothing(work, claimed, claimed, lookFor(work, claimed, step.check));
  noteWait(work, result);
  const after = afterCheck(claimed, result, context(work));
  if (after.kind === 'stop') return store(work, claimed, after.next);
  return sendAfterCheck(work, claimed, after.next, credential);
}

/** Claims the write if its next step is still `step`. From its first claim on it is bound to an organization. */
async function claimReady(
  { ports, settings, wait, endsAtMs }: WriteWork,
  state: WriteState,
  step: WriteStep,
  sending: Sending,
) {
  const kind = writeSteps(ports);
  const lease: Lease = { owner: ports.random.token(), untilMs: endsAtMs };
  const { nowMs } = sending;
  const credential = state.credential ?? sending.credential;
  // Another worker may have bound it meanwhile.
  const bound = (current: WriteState | undefined) =>
    current && { ...defined({ credential }), ...current };
  return claimItem<WriteState, WriteDecision>(
    kind,
    state,
    async (current) => {
      const meaning = meaningOf(kind, bound(current), state.attempt, nowMs);
      return decideWrite(meaning, wait, sending, settings);
    },
    (decision) =>
      decision.kind === 'ready' && decision.step.kind === step.kind
        ? { from: decision.state, to: claimWrite(decision.known, step, lease, nowMs) }
        : undefined,
  );
}

/** The check proved that nothing happened; store this before the next request. */
async function sendAfterCheck(
  work: WriteWork,
  checked: WriteState,
  known: WriteState,
  credential: string | undefined,
): Promise<WriteReport> {
  const { ports, settings } = work;
  const isInTime = (await work.takePlace()) && hasTime(work);
  const nowMs = ports.clock.now();
  const step = stepOf(known, { nowMs, credential }, settings);
  if (!isInTime || checked.lease === undefined || step?.kind !== 'send') {
    return store(work, checked, nextTry(known, nowMs, nowMs));
  }
  const claim = claimWrite(known, step, checked.lease, nowMs);
  const claimed = await replaceItem(writeSteps(ports), checked, claim);
  if (claimed === undefined) return writeReport('retry', 'overtaken', checked);
  return send(work, known, claimed, step);
}

async function send(
  work: WriteWork,
  known: WriteState,
  claimed: WriteState,
  { idempotencyKey }: Extract<WriteStep, { kind: 'send' }>,
): Promise<WriteReport> {
  // After a pause during the claim, the lease may have ended.
  if (!hasTime(work)) {
    const nowMs = work.ports.clock.now();
    return store(work, claimed, nextTry(known, nowMs, nowMs));
  }
  if (!isResource(claimed.resource)) {
    return store(work, claimed, afterRefusal(known, NO_RESOURCE, context(work)));
  }
  const request = {
    method: claimed.operation.method,
    resource: claimed.resource,
    ...defined({ bodyText: claimed.bodyText, idempotencyKey }),
    ...(idempotencyKey !== undefined && { sentAs: sentAsOf(claimed) }),
  };
  const sent = withDeadline(work, work.settings.requestTimeoutMs, (signal) =>
    work.clientOf(claimed).write({ ...request, signal }),
  );
  const outcome = await orNothing(work, claimed, known, sent);
  noteWait(work, outcome);
  return store(work, claimed, afterAnswer(known, claimed, outcome, context(work)));
}

/** The client throws only when the API did nothing for the write: another try follows soon. */
async function orNothing<T>(
  work: WriteWork,
  claimed: WriteState,
  known: WriteState,
  asked: Promise<T>,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    await store(work, claimed, afterNothingLeft(known, context(work)));
    throw error;
  }
}

/** Of one that an older version accepted: the client takes it for none, so no try would ever be sent. */
const NO_RESOURCE = {
  message:
    'Its resource is no path of the API, so it is not sent. If it is still wanted, ask for it under another id, with other params.',
};

/** Stores the result of a try, with the wait that the gate did not take. */
function store(
  { ports, wait }: WriteWork,
  previous: WriteState,
  next: WriteState,
): Promise<WriteReport> {
  const sinceMs = ports.clock.now();
  const untilMs = wait.untoldUntilMs;
  return storeTry(
    ports,
    previous,
    untilMs > sinceMs ? { ...next, untoldWait: { sinceMs, untilMs } } : next,
  );
}

/** A wait that one write received applies to all writes of the invocation. */
function noteWait(
  { ports, wait }: WriteWork,
  told: WriteOutcome | BoundNotSent | CheckResult,
): void {
  const answer = 'notSent' in told ? told.notSent : 'outcome' in told ? told.outcome : told;
  const untilMs =
    answer.kind === 'blocked' ? answer.untilMs : endOfWaitMs(answer, ports.clock.now());
  wait.blockedUntilMs = Math.max(wait.blockedUntilMs, untilMs ?? 0);
}

async function lookFor(
  work: WriteWork,
  state: WriteState,
  check: Parameters<typeof runCheck>[0],
): Promise<CheckResult> {
  const { writeId, params, bodyText } = state;
  return withDeadline(work, Number.POSITIVE_INFINITY, (signal) =>
    runCheck(
      check,
      { writeId, params, bodyText },
      {
        client: work.clientOf(state),
        firstPage: work.settings.firstPage,
        signal,
        whyNotAgain: async () =>
          (await work.takePlace()) && hasTime(work) ? undefined : whyNoPlace(work),
      },
    ),
  );
}

/** A wait that the API asked of any caller is no sign that time is always short: a check that it held up showed nothing. */
function whyNoPlace({
  ports: { clock },
  wait: { blockedUntilMs },
}: WriteWork): Blocked | 'no-time' {
  return blockedUntilMs > clock.now() ? blocked(clock, blockedUntilMs) : 'no-time';
}

/** Aborts the request after `longestMs`, or when only the time for the commit is left. */
async function withDeadline<T>(
  { ports, endsAtMs }: WriteWork,
  longestMs: number,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leftMs = endsAtMs - COMMIT_RESERVE_MS - ports.clock.now();
  const deadline = new AbortController();
  const done = new AbortController();
  const timer = ports.clock
    .sleep(Math.max(0, Math.min(longestMs, leftMs)), done.signal)
    .then(() => deadline.abort());
  try {
    return await request(deadline.signal);
  } finally {
    done.abort(WOKEN);
    await timer;
  }
}

/** Whether a request may still take its whole timeout. */
function hasTime({ ports, settings, endsAtMs }: WriteWork): boolean {
  return ports.clock.now() + settings.requestTimeoutMs + COMMIT_RESERVE_MS <= endsAtMs;
}

function context({ ports, settings }: WriteWork) {
  return { nowMs: ports.clock.now(), settings, fraction: ports.random.fraction() };
}
