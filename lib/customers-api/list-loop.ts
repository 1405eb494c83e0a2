import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { SettingError } from '../errors.ts';
import { isJsonObject } from '../json/json-value.ts';
import type { AskPage } from './ask-page.ts';
import { advanceWalk, endOnRefusal } from './list-walk.ts';
import type { RecordText } from './misfit.ts';
import type { Page, Throttled } from './outcome.ts';
import { errorOf, RefusedError } from './outcome-error.ts';
import { parseOptions } from './parse-options.ts';
import type { CustomersClientSettings } from './settings.ts';
import { optionalSchema } from './typed-record.ts';
import { type ListWalk, startWalk } from './walk-state.ts';

export interface LoopOptions {
  /** Go on where an earlier loop stopped (`error.walk`). @default - from the first page */
  readonly resume?: ListWalk | undefined;
  /**
   * How long the loop itself may wait for one page while the API throttles, 0 or more. With less than
   * the API asks for, the loop throws a ThrottledError at once; it never asks early.
   * @default 0
   */
  readonly maxWaitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The pages from the first to the last, one request at a time. */
export async function* walkPages(
  askPage: AskPage,
  settings: CustomersClientSettings,
  options: LoopOptions,
): AsyncGenerator<Page, void, undefined> {
  requireLoopOptions(options, settings.perPage);
  let walk = options.resume ?? startWalk(settings.firstPage, settings.perPage);
  let waitedSeconds = 0;
  while (true) {
    const outcome = await askPage(walk.nextPage, { signal: options.signal });
    if (outcome.kind === 'throttled' && mayWait(outcome, waitedSeconds, options)) {
      await waitOut(outcome, settings.now, options.signal).catch(() => {
        throw errorOf(WAIT_ABORTED, walk);
      });
      waitedSeconds += outcome.retryAfterSeconds;
      continue;
    }
    if (outcome.kind === 'refused' && endOnRefusal(walk, outcome.status ?? 0)) return;
    if (outcome.kind !== 'page') throw errorOf(outcome, walk);
    const { walk: after, decision } = advanceWalk(walk, outcome);
    if (decision.kind === 'refused') throw new RefusedError(decision, walk);
    if (decision.takeRecords && outcome.recordCount > 0) yield outcome;
    if (decision.kind === 'end') {
      if (decision.missing > 0) throw listMoved(decision.contradictions, after);
      return;
    }
    walk = after;
    waitedSeconds = 0;
  }
}

/** The JSON texts of the records of each page, without those that were on the page before, since the list moved. */
export async function* textsOf(
  pages: AsyncIterable<Page>,
): AsyncGenerator<readonly RecordText[], void, undefined> {
  let before = new Set<string>();
  for await (const page of pages) {
    const { records } = page;
    // A record added in front while the list is read moves the last ones of a page onto the next.
    const isMoved = (record: string, index: number) =>
      before.has(record) && page.ids[index] !== undefined;
    const texts = records.filter((record, index) => !isMoved(record, index));
    const { idKey } = page;
    page.release?.();
    yield texts.map((text) => ({ text, idKey }));
    before = new Set(records);
  }
}

const WAIT_ABORTED = {
  kind: 'unavailable',
  reason: 'aborted',
  message: 'The caller ended the wait that the API asked for.',
} as const;

/** All records that came were yielded; that some did not come must not go unnoticed. */
function listMoved(contradictions: readonly string[], walk: ListWalk): RefusedError {
  const message = `The list changed while it was read: ${contradictions.join('; ')}. Read it again, or set metaKeys.total to false if that number means something else.`;
  return new RefusedError({ reason: 'contradiction', message }, walk);
}

const waitExpected = 'expected a number of 0 or more';
const loopSchema = v.strictObject({
  maxWaitSeconds: v.optional(v.pipe(v.number(waitExpected), v.minValue(0, waitExpected))),
  signal: v.optional(v.instance(AbortSignal, 'expected an AbortSignal')),
  resume: v.optional(
    v.custom<ListWalk>(isWalk, 'expected the walk of an earlier loop (error.walk)'),
  ),
  schema: optionalSchema,
});

function isWalk(value: unknown): boolean {
  return isJsonObject(value) && Number.isSafeInteger(value['nextPage']);
}

function requireLoopOptions(options: LoopOptions, perPage: number | undefined): void {
  const { resume } = parseOptions(loopSchema, options, 'options');
  if (resume !== undefined && resume.perPage !== perPage) {
    const was = resume.perPage ?? 'no perPage';
    throw new SettingError(
      'resume',
      `was made with perPage ${was}, under which a page number means other records. Start again without resume, or use that perPage`,
    );
  }
}

function mayWait(throttled: Throttled, waitedSeconds: number, options: LoopOptions): boolean {
  return waitedSeconds + throttled.retryAfterSeconds <= (options.maxWaitSeconds ?? 0);
}

// Node's timers hold at most 2^31 - 1 ms.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits by the clock and not by the timer, which may fire a millisecond early. */
async function waitOut(
  { retryAfterSeconds }: Throttled,
  now: () => number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const untilMs = now() + retryAfterSeconds * 1000;
  for (let restMs = retryAfterSeconds * 1000; restMs > 0; restMs = untilMs - now()) {
    await sleep(Math.min(restMs, MAX_TIMER_MS), undefined, signal === undefined ? {} : { signal });
  }
}
