import { liveLine } from '../../command-line/live-line.ts';
import { progressWords } from '../progress-words.ts';
import type { Surroundings } from '../surroundings.ts';
import type { AskedPage } from './watched-pages.ts';

/** The rate of the last seconds says more than that of the whole export, waits included. */
const RATE_OVER_MS = 10_000;

/** Elsewhere than on a terminal a line for each page would be too much. */
const LINE_EVERY_MS = 10_000;

/** Shows on stderr how far an export on this machine is. */
export interface TryDisplay {
  readonly startedAtMs: number;
  /** What was asked until now, also in a step that was interrupted: the state of the export has nothing of it. */
  readonly asked: { requests: number; throttles: number };
  readonly onAsked: (asked: AskedPage) => void;
  readonly onWait: (untilMs: number, reason: string | undefined) => void;
  readonly end: () => void;
}

/** @param wordsOf Puts what a person can do in place of settings. */
export function tryDisplay(
  { stderr, now }: Pick<Surroundings, 'stderr' | 'now'>,
  wordsOf: (message: string) => string,
): TryDisplay {
  const line = liveLine(stderr);
  const startedAtMs = now();
  /** Records of each page by its number: a page that is asked for twice counts once. */
  const pages = new Map<number, number>();
  const answeredAtMs: number[] = [];
  let total: number | undefined;
  const asked = { requests: 0, throttles: 0 };
  let shownAtMs = 0;
  let told = '';
  // A failure that lasts is told once.
  const tell = (message: string) => {
    if (message !== told) line.note(wordsOf(message));
    told = message;
  };
  const show = (waitsUntilMs?: number, waitReason?: string) => {
    const nowMs = now();
    const isDue = stderr.isTTY === true || nowMs - shownAtMs >= LINE_EVERY_MS;
    if (!isDue) return;
    shownAtMs = nowMs;
    const records = [...pages.values()].reduce((sum, each) => sum + each, 0);
    const recent = answeredAtMs.filter((atMs) => atMs > nowMs - RATE_OVER_MS).length;
    const overMs = Math.min(RATE_OVER_MS, nowMs - startedAtMs);
    const pagesPerSecond = overMs < 1_000 ? undefined : (recent * 1000) / overMs;
    const endMs = endOf({ startedAtMs, nowMs, records, total });
    const counts = {
      pages: pages.size,
      records,
      total,
      throttles: asked.throttles,
      pagesPerSecond,
    };
    line.show(
      progressWords({ status: 'running', ...counts, waitsUntilMs, waitReason, endMs }, nowMs),
    );
  };
  return {
    startedAtMs,
    asked,
    onAsked: ({ request, outcome, answeredAtMs: atMs }) => {
      asked.requests += 1;
      if (outcome.kind === 'page') {
        pages.set(request.page, outcome.recordCount);
        answeredAtMs.push(atMs);
        total = outcome.evidence.total ?? total;
      } else if (outcome.kind === 'throttled') asked.throttles += 1;
      else if (outcome.kind === 'unavailable') tell(outcome.message);
      show();
    },
    onWait: show,
    end: line.end,
  };
}

interface Pace {
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly records: number;
  readonly total: number | undefined;
}

/** As fast as up to now, waits included. */
function endOf({ startedAtMs, nowMs, records, total }: Pace): number | undefined {
  if (total === undefined || records === 0 || total < records) return undefined;
  return nowMs + ((total - records) * (nowMs - startedAtMs)) / records;
}
