import { count, counted } from '../command-line/words.ts';

export interface ExportProgress {
  readonly status: string;
  readonly pages: number;
  readonly records: number;
  /** As the API says. @default - it says nothing */
  readonly total?: number | undefined;
  /** Pages per second lately. @default - not known yet */
  readonly pagesPerSecond?: number | undefined;
  /** No request before. @default - nothing is waited for */
  readonly waitsUntilMs?: number | undefined;
  /** What made it wait, such as `Retry-After: 30`. */
  readonly waitReason?: string | undefined;
  readonly throttles: number;
  readonly endMs?: number | undefined;
}

/** The same as words of a line, the most important first. */
export function progressWords(progress: ExportProgress, nowMs: number): readonly string[] {
  const { records, total, pages, throttles, pagesPerSecond, endMs, waitReason } = progress;
  const isRunning = progress.status === 'running';
  const waitMs = isRunning ? (progress.waitsUntilMs ?? 0) - nowMs : 0;
  const known = total !== undefined && total >= records && total > 0;
  return [
    known
      ? `${percent(records / total)} ${count(records)} of ${count(total)}`
      : `${count(records)} records`,
    ...(isRunning ? [] : [progress.status]),
    ...(waitMs > 0 ? [`waiting ${lengthOf(waitMs)}`] : []),
    ...(waitMs > 0 && waitReason !== undefined ? [waitReason] : []),
    ...(isRunning && endMs !== undefined && endMs > nowMs
      ? [`${lengthOf(endMs - nowMs)} left`]
      : []),
    counted(pages, 'page'),
    ...(isRunning && pagesPerSecond !== undefined ? [`${pagesPerSecond.toFixed(1)} pages/s`] : []),
    ...(throttles > 0 ? [`${count(throttles)} throttled`] : []),
  ];
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

/** Such as `45 s`, `12 min` or `3 h 20 min`; never less than it is. */
function lengthOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
