import { rejectedKey } from '../gate/not-sent.ts';
import type { NoKey } from '../gate/ports.ts';
import type { UsableConnection } from '../gate/usable-connection.ts';
import { atRest, released } from '../steps/step-item.ts';
import {
  type EndKind,
  type ExportReason,
  type ExportState,
  NOTHING_IN_ROW,
} from './export-state.ts';

/** The next step, without a lease; its wake-up is not sent yet. */
export function nextStep(state: ExportState, notBeforeMs: number, nowMs: number): ExportState {
  return { ...released(state, notBeforeMs, nowMs), step: state.step + 1 };
}

export function countStepWithoutPage(state: ExportState): ExportState {
  const stepsWithoutPage = state.inRow.stepsWithoutPage + 1;
  return { ...state, inRow: { ...state.inRow, stepsWithoutPage } };
}

/** After a step that came further, so that those that broke off before it are no row any more. */
export function unbroken(state: ExportState): ExportState {
  const { brokenSteps: _over, ...inRow } = state.inRow;
  return { ...state, inRow };
}

/** One whose worker crashed, or could not go on. */
export function countBrokenStep(state: ExportState): ExportState {
  const counted = countStepWithoutPage(state);
  const brokenSteps = (state.inRow.brokenSteps ?? 0) + 1;
  return { ...counted, inRow: { ...counted.inRow, brokenSteps } };
}

/** At rest, with an event of that. */
export function ended(state: ExportState, status: EndKind, nowMs: number): ExportState {
  const { sample: _sample, ...kept } = state;
  return stopped(kept, status, nowMs, status);
}

function stopped(
  state: ExportState,
  status: EndKind | 'halted',
  nowMs: number,
  told: ExportState['unannounced'][number],
): ExportState {
  const unannounced = [...state.unannounced, told];
  return { ...atRest(state, nowMs), status, step: state.step + 1, unannounced };
}

export function fail(state: ExportState, reason: ExportReason, nowMs: number): ExportState {
  return { ...ended(state, 'failed', nowMs), reason };
}

/** The ledger does not take a state: what is optional in the last one that it took is dropped, and the export ends. */
export function failUnstorable(state: ExportState, problem: string, nowMs: number): ExportState {
  const { firstMetaText: _first, lastMetaText: _last, warnings: _warnings, ...kept } = state;
  const reason: ExportReason = {
    code: 'unstorable',
    message: `${problem} The export cannot go on; its parts are kept. Start again, and report this if it happens again.`,
  };
  return fail({ ...kept, unannounced: [] }, reason, nowMs);
}

/** Stopped until the connection has another key version. The stored parts are kept. */
export function halt(state: ExportState, reason: ExportReason, nowMs: number): ExportState {
  const { pages, customers } = state.counters;
  const { code: reasonCode, message: reasonMessage } = reason;
  const reasons = { reasonCode, reasonMessage };
  const facts = { step: state.step + 1, atMs: nowMs, pages, customers, ...reasons };
  return { ...stopped(state, 'halted', nowMs, { kind: 'halted', ...facts }), reason };
}

/** A halted export continues where it stopped, with all counts of failures at 0. */
export function resume(state: ExportState, nowMs: number): ExportState {
  const { reason: _reason, ...rest } = state;
  return {
    ...rest,
    status: 'running',
    wakeUpSent: false,
    updatedAtMs: nowMs,
    inRow: NOTHING_IN_ROW,
  };
}

/**
 * A halted export with the reason for which its connection has no key now: the operator may have stored a version that
 * is wrong in another way. It is the same halt, so it is not told again.
 */
export function stillHalted(halted: ExportState, found: NoKey | RejectedVersion): ExportState {
  const { reason, connection } = halted;
  const now = noKeyReason(connection, found, {});
  const isSame =
    found.kind === 'rejected'
      ? // What was answered to it is stored with it.
        reason?.code === now.code && reason.message.includes(found.keyVersion)
      : reason?.message === now.message;
  return isSame ? halted : { ...halted, reason: now };
}

type RejectedVersion = Extract<UsableConnection, { kind: 'rejected' }>;

/** @param facts Of the answer that rejected it, if one did. */
export function noKeyReason(
  connection: string,
  found: NoKey | RejectedVersion,
  facts: Pick<ExportReason, 'status' | 'apiCode' | 'requestId'>,
): ExportReason {
  return found.kind === 'no-key'
    ? keyUnusable(found)
    : keyRejected(connection, found.keyVersion, facts);
}

function keyRejected(
  connection: string,
  keyVersion: string,
  facts: Pick<ExportReason, 'status' | 'apiCode' | 'requestId'>,
): ExportReason {
  const { status } = facts;
  return {
    code: 'authentication-failure',
    message: `${rejectedKey({ connection, keyVersion, status })} The export then goes on where it stopped.`,
    ...facts,
  };
}

function keyUnusable(noKey: NoKey): ExportReason {
  return {
    code: `key-${noKey.reason}`,
    message: `${noKey.message} The export goes on where it stopped once the secret has a usable key.`,
  };
}
