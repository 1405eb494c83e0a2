import { defined } from '../defined.ts';
import { errorName } from '../errors.ts';
import type { StepAnswer, StepResult } from '../steps/report.ts';
import type { ExportCounters, ExportState } from './export-state.ts';
import type { WakeUp } from './ports.ts';

export interface StepReport {
  readonly answer: StepAnswer;
  readonly result: ExportStepResult;
  /** For one log line; contains no secret and no customer data. */
  readonly facts: StepFacts;
  /** What this step added to the export's counters; absent when the step was not claimed. */
  readonly share?: StepShare;
  /**
   * What a port threw after the step was stored: the event bus, whose event is told later, or another one after the end
   * of the export, and the message comes back for what is left.
   */
  readonly error?: unknown;
}

type StepShare = Omit<ExportCounters, 'bytes'>;

type ExportStepResult =
  | StepResult
  | 'completed'
  | 'failed'
  /** A person has ended it; this worker has left it, or has ended what another one had left. */
  | 'cancelled'
  /** Other processes kept writing while this worker tried to claim the step. */
  | 'contended';

interface StepFacts
  extends Omit<WakeUp, 'v'>,
    Partial<StepShare & Pick<ExportState, 'list' | 'status' | 'notBeforeMs'>> {
  /** The last rate of the step, set or learned; absent when no limit is known. */
  readonly requestsPerSecond?: number;
  readonly reasonCode?: string;
  /** Evidence that was ignored, with the reasons, as sentences. */
  readonly warnings?: string;
  /** Name of the error that stopped the publishing of an event; it is retried. */
  readonly eventProblem?: string;
}

/** The counters are those of the whole export so far. @param untold What was thrown where an event was not published. */
export function stepReport(
  wakeUp: WakeUp,
  { answer, result, state }: Pick<StepReport, 'answer' | 'result'> & { state?: ExportState },
  untold?: unknown,
): StepReport {
  const { connection, exportId, step } = wakeUp;
  if (state === undefined) return { answer, result, facts: { connection, exportId, step } };
  const { list, status, counters, notBeforeMs, reason } = state;
  const { bytes: _bytes, ...counted } = counters;
  const about = { connection, list, exportId, step, status, ...counted, notBeforeMs };
  const reasonCode = reason?.code;
  const warnings = state.warnings?.map(({ message }) => message).join('; ');
  const eventProblem = untold === undefined ? undefined : errorName(untold);
  const facts = { ...about, ...defined({ reasonCode, warnings, eventProblem }) };
  return { answer, result, facts, ...defined({ error: untold }) };
}

export function withPace(report: StepReport, requestsPerSecond: number | undefined): StepReport {
  if (requestsPerSecond === undefined) return report;
  const rounded = Number(requestsPerSecond.toPrecision(3));
  return { ...report, facts: { ...report.facts, requestsPerSecond: rounded } };
}

export function withShare(report: StepReport, before: ExportCounters): StepReport {
  const { facts } = report;
  const since = (name: keyof StepShare) => (facts[name] ?? before[name]) - before[name];
  const share = {
    pages: since('pages'),
    customers: since('customers'),
    requests: since('requests'),
    throttles: since('throttles'),
    waitedSeconds: since('waitedSeconds'),
  };
  return { ...report, share };
}
