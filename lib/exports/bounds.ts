import type { ExportSettings } from './export-settings.ts';
import type { EndedExport, ExportReason, ExportState } from './export-state.ts';

/**
 * The bound that an unfinished export has reached, if any. The bounds replace Lambda's recursive loop
 * detection, which is off for the worker: it would stop an export after about 16 waits.
 *
 * @param blockedUntilMs The later one of the wait in the gate and the wait in the state.
 */
export function brokenBound(
  state: ExportState,
  blockedUntilMs: number,
  nowMs: number,
  settings: ExportSettings,
): ExportReason | undefined {
  const { counters, inRow } = state;
  if (nowMs >= state.deadlineAtMs) {
    return {
      code: 'deadline',
      message: `Did not end within ${secondsBetween(state.startedAtMs, state.deadlineAtMs)} s of its start. Start again, or raise maxDurationSeconds.`,
    };
  }
  if (isWaitTooLong(blockedUntilMs, nowMs, settings)) {
    return waitTooLong(blockedUntilMs, nowMs, settings);
  }
  if (counters.waitedSeconds > settings.maxTotalWaitSeconds) {
    return {
      code: 'waited-too-long',
      message: `The API asked for ${counters.waitedSeconds} s of waits in all, more than maxTotalWaitSeconds (${settings.maxTotalWaitSeconds}). Set requestsPerSecond below the API's rate, ask for a higher one, or raise maxTotalWaitSeconds.`,
    };
  }
  if (inRow.stepsWithoutPage > settings.maxStepsWithoutPage) {
    return {
      code: 'no-progress',
      message: `${inRow.stepsWithoutPage} steps in a row took no page, more than maxStepsWithoutPage (${settings.maxStepsWithoutPage}). Look at the latest throttles and timeouts; a smaller perPage makes answers faster.`,
    };
  }
  if (counters.pages >= settings.maxPages) {
    return {
      code: 'too-many-pages',
      message: `${counters.pages} pages without an end of the list, the limit set by maxPages. Raise it if the list is that long, or raise perPage.`,
    };
  }
  return undefined;
}

/**
 * The same once the list has ended. What is left needs no request, so waits do not matter, but it may fail each time, as
 * where the bucket refuses what has to be deleted.
 */
export function brokenAfterEnd(
  { inRow, end }: EndedExport,
  nowMs: number,
  { maxStepsWithoutPage, maxDurationSeconds }: ExportSettings,
): ExportReason | undefined {
  const but = 'The list was read to its end, but';
  const advice = 'The log of the worker says why. Mend that, and start again.';
  if (nowMs >= end.atMs + maxDurationSeconds * 1000) {
    return {
      code: 'deadline',
      message: `${but} the export was not completed within ${maxDurationSeconds} s of that (maxDurationSeconds). ${advice}`,
    };
  }
  if (inRow.stepsWithoutPage > maxStepsWithoutPage) {
    return {
      code: 'no-progress',
      message: `${but} ${inRow.stepsWithoutPage} steps in a row did not complete the export, more than maxStepsWithoutPage (${maxStepsWithoutPage}). ${advice}`,
    };
  }
  return undefined;
}

export function isWaitTooLong(
  notBeforeMs: number,
  nowMs: number,
  settings: ExportSettings,
): boolean {
  return notBeforeMs - nowMs > settings.maxWaitSeconds * 1000;
}

export function waitTooLong(
  notBeforeMs: number,
  nowMs: number,
  settings: ExportSettings,
): ExportReason {
  return {
    code: 'wait-too-long',
    message: `The API asks to wait ${secondsBetween(nowMs, notBeforeMs)} s, longer than maxWaitSeconds (${settings.maxWaitSeconds}). Start again after ${isoTime(notBeforeMs)}, or raise maxWaitSeconds; a wait that the API cannot mean is ended by opening the gate (docs/runbook.md#wait-too-long).`,
    resumeAtMs: notBeforeMs,
  };
}

/** ISO 8601 in UTC. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.ceil((toMs - fromMs) / 1000);
}
