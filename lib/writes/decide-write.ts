import { defined } from '../defined.ts';
import type { Gate } from '../gate/ports.ts';
import { dueAtMs } from '../steps/due-at.ts';
import { type Lease, underLease } from '../steps/step-item.ts';
import type { Meaning } from '../steps/step-kind.ts';
import type { Check } from './operation.ts';
import { untoldUntilMs } from './untold-wait.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';
import { deadlineReason, doubted, park, reasonOf, refuse } from './write-transitions.ts';

/** Default of `settleSeconds`: most APIs show an effect at once, slow ones within seconds. */
const DEFAULT_SETTLE_SECONDS = 10;

export type WriteDecision =
  | Exclude<Meaning<WriteState>, { kind: 'open' }>
  /** The write ends: store `next`. */
  | { readonly kind: 'end'; readonly state: WriteState; readonly next: WriteState }
  | { readonly kind: 'early'; readonly state: WriteState; readonly notBeforeMs: number }
  | {
      readonly kind: 'ready';
      readonly state: WriteState;
      /** The state, with a doubt if a worker crashed. */
      readonly known: WriteState;
      readonly step: WriteStep;
    };

export type WriteStep =
  /** `sentAs`: the credential that the key is sent with, and no other. */
  | { readonly kind: 'send'; readonly idempotencyKey?: string; readonly sentAs?: string }
  | { readonly kind: 'check'; readonly check: Check };

/** When a request would be sent, and the credential that it would be sent with (`credentialFor`). */
export interface Sending {
  readonly nowMs: number;
  readonly credential: string | undefined;
}

export function decideWrite(
  meaning: Meaning<WriteState>,
  gate: Pick<Gate, 'blockedUntilMs' | 'opening'>,
  sending: Sending,
  settings: WriteSettings,
): WriteDecision {
  if (meaning.kind !== 'open') return meaning;
  const { nowMs } = sending;
  const { state } = meaning;
  const known = withLostWorker(state);
  const end = endOf(known, nowMs, settings);
  if (end !== undefined) return { kind: 'end', state, next: end };
  const step = stepOf(known, sending, settings);
  if (step === undefined) return { kind: 'end', state, next: parkDoubted(known, nowMs) };
  const settledAtMs =
    step.kind === 'check' ? (known.doubt?.sinceMs ?? 0) + settleMs(step.check) : 0;
  const notBeforeMs = Math.max(dueAtMs(known, gate), untoldUntilMs(known, gate), settledAtMs);
  if (notBeforeMs <= nowMs) return { kind: 'ready', state, known, step };
  return { kind: 'early', state, notBeforeMs: Math.min(notBeforeMs, known.deadlineAtMs) };
}

/** The state under a new lease. If this worker crashes, the next one decides from it. */
export function claimWrite(
  known: WriteState,
  step: WriteStep,
  lease: Lease,
  nowMs: number,
): WriteState {
  const { untoldWait: _over, ...begun } = known;
  const claimed = underLease(begun, lease, nowMs);
  if (step.kind === 'check') return claimed;
  const { sentAs } = step;
  const firstSentAtMs = known.firstSentAtMs ?? nowMs;
  return { ...claimed, status: 'sent', firstSentAtMs, ...defined({ sentAs }) };
}

/**
 * The next step. Send when no request can have had an effect, or when the key makes a repeat safe; else check.
 * `undefined` when only a person can decide. An API may keep an `Idempotency-Key` for each API key: no repeat with
 * another one is safe.
 */
export function stepOf(
  state: WriteState,
  { nowMs, credential }: Sending,
  settings: WriteSettings,
): WriteStep | undefined {
  const { doubt, idempotencyKey, operation } = state;
  const hasKey = idempotencyKey !== undefined && isKeyUsable(state, nowMs, settings);
  const send = {
    kind: 'send',
    ...(hasKey ? defined({ idempotencyKey, sentAs: credential }) : {}),
  } as const;
  if (doubt === undefined) return send;
  // After a refusal, another repeat shows nothing new.
  if (hasKey && credential === sentAsOf(state) && doubt.refusal === undefined) return send;
  return operation.check === undefined ? undefined : { kind: 'check', check: operation.check };
}

/** Whether the credential decides about the next step. */
export function isRepeat({ idempotencyKey, doubt, lease }: WriteState): boolean {
  return idempotencyKey !== undefined && (doubt !== undefined || lease !== undefined);
}

export function sentAsOf({ sentAs, credential }: WriteState): string | undefined {
  return sentAs ?? credential;
}

/** Far more than the clocks of two functions differ by. */
const FAR_AHEAD_MS = 3_600_000;

/**
 * Whether a request that is sent now reaches the API before the key expires there. A first request that lies far ahead was
 * noted while the clock of its machine was being set: how old the key is nobody knows, and a write is not sent blindly.
 */
function isKeyUsable(state: WriteState, atMs: number, settings: WriteSettings): boolean {
  const sinceMs = state.firstSentAtMs ?? atMs;
  if (sinceMs > atMs + FAR_AHEAD_MS) return false;
  return atMs + settings.requestTimeoutMs <= sinceMs + settings.idempotencyKeySeconds * 1000;
}

export function settleMs({ settleSeconds = DEFAULT_SETTLE_SECONDS }: Check): number {
  return settleSeconds * 1000;
}

/** A crashed worker may have sent its request until its lease ended. */
function withLostWorker(state: WriteState): WriteState {
  if (state.lease === undefined) return state;
  return doubted(state, state.lease.untilMs, reasonOf('worker-lost', WORKER_LOST));
}

const WORKER_LOST =
  'The function ended before it stored the outcome of the request. Check whether the write took effect.';

function endOf(state: WriteState, nowMs: number, settings: WriteSettings): WriteState | undefined {
  if (nowMs < state.deadlineAtMs) return undefined;
  return state.doubt === undefined
    ? refuse(state, deadlineReason(state), nowMs, settings)
    : parkDoubted(state, nowMs);
}

/** @param state A state with a doubt. */
export function parkDoubted(state: WriteState, nowMs: number): WriteState {
  const { refusal, reason } = state.doubt ?? {};
  const known = refusal ?? reason ?? reasonOf('no-clear-answer', 'Check whether it took effect.');
  return park(state, known, nowMs);
}
