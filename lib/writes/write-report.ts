import { defined } from '../defined.ts';
import type { StepAnswer, StepResult } from '../steps/report.ts';
import type { WriteName } from './ports.ts';
import type { WriteState } from './write-state.ts';

export interface WriteReport {
  /** `reject`: retrying cannot help; the message goes to the dead-letter queue with `reason`. */
  readonly answer: StepAnswer | 'reject';
  readonly result: WriteResult;
  /** For one log line and the metrics; contains no secret and no customer data. */
  readonly facts: WriteFacts;
  /** On `reject` and `error`. */
  readonly reason?: string;
  /** What a port threw when the end was stored, but not told yet: the message comes back for that. */
  readonly error?: unknown;
}

type WriteResult =
  | StepResult
  | 'done'
  | 'refused'
  | 'unclear'
  /** Another write is before it in the order line, and wakes it later. */
  | 'waits-in-line'
  /** Rejected: another write has this id; the request is invalid. */
  | 'conflict'
  | 'invalid'
  /** Rejected: the request holds the key of its connection. */
  | 'key-in-request'
  | 'unknown-connection'
  | 'line-full'
  /** A port threw. */
  | 'error';

interface WriteFacts
  extends WriteName,
    Partial<Pick<WriteState, 'status' | 'attempt' | 'notBeforeMs'>>,
    Partial<Pick<WriteState['counters'], 'requests' | 'checks' | 'throttles'>> {
  readonly operation?: string;
  readonly reasonCode?: string;
  /** From accepting the write to its end, on `done`, `refused` and `unclear`. */
  readonly tookMs?: number;
}

/** Of a message that asks for the same as another one of its batch: what one of them did counts once. */
export function repeatedReport(report: WriteReport): WriteReport {
  return isEnd(report.result) ? { ...report, result: 'past' } : report;
}

function isEnd(result: WriteResult): boolean {
  return result === 'done' || result === 'refused' || result === 'unclear';
}

export function writeReport(
  answer: StepAnswer,
  result: WriteResult,
  state: WriteState,
): WriteReport {
  const { connection, writeId, status, attempt, counters, notBeforeMs, reason } = state;
  const { requests, checks, throttles } = counters;
  const name = { connection, writeId, operation: state.operation.name };
  const about = { ...name, status, attempt, requests, checks, throttles, notBeforeMs };
  const tookMs = isEnd(result) ? state.updatedAtMs - state.acceptedAtMs : undefined;
  return { answer, result, facts: { ...about, ...defined({ reasonCode: reason?.code, tookMs }) } };
}

/** For a message without a write. */
export function reportWithout(
  answer: WriteReport['answer'],
  result: WriteResult,
  { connection, writeId }: WriteName,
  reason?: string,
): WriteReport {
  const report = { answer, result, facts: { connection, writeId } };
  return reason === undefined ? report : { ...report, reason };
}

/** Without a report the later reports would belong to the wrong messages. */
export function missingReport(): never {
  throw new Error('A message has no report. All messages of the batch come back.');
}

/** A failure of one write does not stop the others. */
export async function guarded<T>(
  name: WriteName,
  work: () => Promise<T | WriteReport>,
): Promise<T | WriteReport> {
  try {
    return await work();
  } catch (error) {
    return reportWithout('retry', 'error', name, problemOf(error));
  }
}

function problemOf(error: unknown): string {
  const { name, message } = { name: undefined, message: undefined, ...Object(error) };
  return typeof message === 'string' ? `${String(name)}: ${message}` : String(error);
}
