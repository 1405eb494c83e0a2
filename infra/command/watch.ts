import { dirname } from 'node:path';
import { liveLine } from '../command-line/live-line.ts';
import { number, option, text } from '../command-line/option-table.ts';
import { prepareFolder, storeFile } from '../command-line/out-folder.ts';
import { exportCourse } from '../report/export-course.ts';
import type { CoursePoint } from '../report/report-data.ts';
import { type Call, commandOf } from './command.ts';
import { CommandError } from './command-error.ts';
import { progressWords } from './progress-words.ts';
import { deployedReport, shownPoint } from './stack/deployed-report.ts';
import { textsOf } from './stack/export-files.ts';
import { openExport } from './stack/open-export.ts';
import {
  type BegunExport,
  exportText,
  type OpenExport,
  readExport,
  type ShownExport,
  waitReasonOf,
} from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, EXPORT, NEWEST_OF } from './stack/stack-options.ts';

/** A step commits every few seconds, so more often shows nothing new. */
const DEFAULT_EVERY_SECONDS = 2;

export const WATCH = commandOf({
  name: 'watch',
  what: 'Shows an export while it goes on, until it is over. Elsewhere than on a terminal only its end is printed.',
  operands: [CONNECTION, EXPORT],
  options: {
    list: NEWEST_OF,
    every: option(
      'SECONDS',
      'how often it is looked at',
      number([0.1, 3600, 'fractions']),
      DEFAULT_EVERY_SECONDS,
    ),
    report: option('FILE', 'writes a page about the export, as far as it was watched', text),
    ...ASKED_OPTIONS,
  },
  notes: `Exit code: 0 the export is completed, 1 it failed, is halted or was cancelled.
Ctrl-C ends watching; the export goes on.`,
  run: async ({ options, operands }, call) => {
    const { report } = options;
    const opened = await openExport(operands, options, call);
    if (report !== undefined) await prepareFolder(dirname(report), '--report');
    const everyMs = (options.every ?? DEFAULT_EVERY_SECONDS) * 1000;
    const course = exportCourse(shownPoint);
    let last: BegunExport | undefined;
    const look = async () => {
      const shown = await readExport(opened);
      if (shown.status !== 'queued') {
        course.see(shown);
        last = shown;
      }
      return shown;
    };
    // After Ctrl-C and a failure too: what was seen is not lost.
    const ended = await watched(look, everyMs, call).finally(async () => {
      if (report === undefined || last === undefined) return;
      await writeReport(report, opened, last, course.points());
      call.output.note(`How the export went: ${report}, for your browser`);
    });
    if (ended === undefined) return 'interrupted';
    call.output.result(ended, (width) => exportText(ended, width));
    return ended.status === 'completed' ? 'done' : 'failed';
  },
});

async function writeReport(
  file: string,
  opened: OpenExport,
  shown: BegunExport,
  course: readonly CoursePoint[],
): Promise<void> {
  const signal = AbortSignal.timeout(REPORT_WITHIN_MS);
  const texts = shown.status === 'completed' ? await textsOf(opened, signal) : {};
  const page = await deployedReport(opened, shown, { course, ...texts });
  await storeFile(file, Buffer.from(page), '--report');
}

/** A manifest has some megabytes at most. */
const REPORT_WITHIN_MS = 60_000;

/** An export goes on for hours, and a network is away for seconds meanwhile. */
const MAX_SILENCE_MS = 120_000;

/**
 * Looks until the export is over.
 *
 * @returns `undefined` when the person has seen enough.
 * @throws what the look threw, where it does not pass within two minutes.
 */
export async function watched(
  look: () => Promise<ShownExport>,
  everyMs: number,
  { stderr, now, wait, interrupt }: Call,
): Promise<ShownExport | undefined> {
  const line = liveLine(stderr);
  const seen: PagesSeen[] = [];
  let seenAtMs = now();
  try {
    while (!interrupt.signal.aborted) {
      const shown = await look().catch((error: unknown) => {
        if (interrupt.signal.aborted) return undefined;
        const isPassing = error instanceof CommandError && error.isPassing;
        if (!isPassing || now() - seenAtMs > MAX_SILENCE_MS) throw error;
        return undefined;
      });
      if (shown !== undefined) {
        seenAtMs = now();
        if (shown.status !== 'queued' && shown.status !== 'running') return shown;
      }
      if (stderr.isTTY === true) line.show(shown ? wordsOf(shown, seen, now()) : NO_ANSWER);
      await wait(everyMs);
    }
    return undefined;
  } finally {
    line.end();
  }
}

const NO_ANSWER = ['no answer of the integration', 'it is asked again'];

interface PagesSeen {
  readonly atMs: number;
  readonly pages: number;
}

/** The rate of the last minute: pages count by whole steps. */
const RATE_OVER_MS = 60_000;

function wordsOf(shown: ShownExport, seen: PagesSeen[], nowMs: number): readonly string[] {
  if (shown.status === 'queued') return [`queued, place ${shown.place}`];
  const { progress, waits, notBefore, status } = shown;
  // Who begins to watch knows how the export began.
  if (seen.length === 0) seen.push({ atMs: Date.parse(shown.startedAt), pages: 0 });
  seen.push({ atMs: nowMs, pages: progress.pages });
  while (seen.length > 2 && nowMs - (seen[0]?.atMs ?? 0) > RATE_OVER_MS) seen.shift();
  return progressWords(
    {
      status,
      pages: progress.pages,
      records: progress.customers,
      total: progress.totalCustomers ?? undefined,
      pagesPerSecond: rateOf(seen),
      waitsUntilMs: notBefore === null ? undefined : Date.parse(notBefore),
      waitReason: notBefore === null ? undefined : waitReasonOf(shown),
      throttles: waits.throttles,
      endMs: progress.expectedEndAt === null ? undefined : Date.parse(progress.expectedEndAt),
    },
    nowMs,
  );
}

/** `undefined` while too little was seen: of an export that has just begun, or that was watched for some seconds. */
function rateOf(seen: readonly PagesSeen[]): number | undefined {
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  const pages = last.pages - first.pages;
  const isKnown = pages > 0 || last.atMs - first.atMs > RATE_OVER_MS / 2;
  return isKnown ? (1000 * pages) / (last.atMs - first.atMs) : undefined;
}
