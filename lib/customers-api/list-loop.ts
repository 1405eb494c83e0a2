import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { defined } from '../defined.ts';
import { SettingError } from '../errors.ts';
import type { AskPage } from './ask-page.ts';
import type { RecordText } from './misfit.ts';
import type { ListOutcome, Page, Throttled } from './outcome.ts';
import { errorOf, RefusedError } from './outcome-error.ts';
import { parseOptions, signalOption } from './parse-options.ts';
import { unescapedId } from './record-places.ts';
import type { CustomersClientSettings } from './settings.ts';
import { optionalSchema } from './typed-record.ts';
import { newWalk, type WalkOptions } from './walks/new-walk.ts';
import { openWalk } from './walks/open-walk.ts';
import { SET_ORDERS, type Taken, WALK_KINDS, type WalkEnd, type WalkKind } from './walks/taken.ts';
import { WalkSchema } from './walks/walk-schema.ts';
import { takenWithoutPage, type Walk, type Walker } from './walks/walker.ts';

export interface LoopOptions {
  /** Go on where an earlier loop stopped (`error.walk`). @default - from the first page */
  readonly resume?: Walk | undefined;
  /**
   * `fast` asks for each page once. `verified` asks for pages that share records with their neighbours, so that none
   * is missed while the list changes; what it could show is told to `onEnd`. See docs/walks.md.
   * @default 'fast'
   */
  readonly walk?: WalkKind | undefined;
  /** Most requests of a verified walk, as a multiple of those of a fast one: 1.5 to 20. @default 2 */
  readonly maxPasses?: number | undefined;
  /** What is known of an order that the records do not show, see `WalkOptions`. @default - learned */
  readonly order?: WalkOptions['order'] | undefined;
  /** Called once, after the last page and before the loop ends. */
  readonly onEnd?: ((end: WalkEnd) => void) | undefined;
  /**
   * How long the loop itself may wait for one page while the API throttles, 0 or more. With less than
   * the API asks for, the loop throws a ThrottledError at once; it never asks early.
   * @default 0
   */
  readonly maxWaitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A page of a loop. */
export interface WalkedPage extends Page {
  /** Positions of records that an earlier page of a verified walk had too, unchanged, ascending. */
  readonly skip?: readonly number[];
}

/** The pages from the first to the last, one request at a time. */
export async function* walkPages(
  askPage: AskPage,
  settings: CustomersClientSettings,
  options: LoopOptions,
): AsyncGenerator<WalkedPage, void, undefined> {
  const walker = openWalk(walkOf(options, settings));
  const { signal } = options;
  let waitedSeconds = 0;
  /** A page that is taken again when the one in front of it was taken; then it is the next one. */
  let held: Page | undefined;
  let next: Page | undefined;
  while (true) {
    const { state } = walker;
    const { page, ...ask } = walker.ask(0) ?? { page: state.list.nextPage };
    const outcome = next ?? (await askPage(page, { ...ask, signal }));
    if (outcome.kind === 'throttled' && mayWait(outcome, waitedSeconds, options)) {
      await waitOut(outcome, settings, signal).catch(() => {
        throw errorOf(WAIT_ABORTED, state, page);
      });
      waitedSeconds += outcome.retryAfterSeconds;
      continue;
    }
    const taken = takenBy(walker, outcome, page);
    if (taken.kind === 'refused') throw new RefusedError(taken, state, page);
    waitedSeconds = 0;
    next = taken.next === 'on' ? held : undefined;
    held = outcome.kind === 'page' && taken.kind === 'held' ? outcome : undefined;
    if (outcome.kind === 'page' && taken.kind === 'page' && outcome.recordCount > 0) {
      // Not a copy: some members of a page are only made when they are asked for.
      yield Object.assign(outcome, defined({ skip: taken.skip }));
    }
    if (taken.end === undefined) continue;
    options.onEnd?.(taken.end);
    if (taken.end.missing > 0) throw listMoved(taken.end.contradictions, walker.state);
    return;
  }
}

/** @throws ListError for an answer that is no page and not the end of the list. */
function takenBy(walker: Walker, outcome: ListOutcome, page: number): Taken {
  if (outcome.kind === 'page') return walker.take(outcome);
  const taken = takenWithoutPage(walker, outcome);
  if (taken === undefined) throw errorOf(outcome, walker.state, page);
  return taken;
}

function walkOf(
  options: LoopOptions,
  { firstPage, perPage, idKey }: CustomersClientSettings,
): Walk {
  requireLoopOptions(options, perPage);
  const { walk = 'fast', resume, maxPasses, order } = options;
  return resume ?? newWalk({ walk, firstPage, ...defined({ perPage, idKey, maxPasses, order }) });
}

/**
 * The JSON texts of the records of each page, without those that came before: on the page before in a fast walk, on any
 * page in a verified one, which takes some 100 bytes for each id.
 */
export async function* textsOf(
  pages: AsyncIterable<WalkedPage>,
  isVerified: boolean,
): AsyncGenerator<readonly RecordText[], void, undefined> {
  let before = new Set<string>();
  const ids = new Set<string>();
  for await (const page of pages) {
    const { records } = page;
    const known = page.ids.map((id) => id !== undefined && ids.has(unescapedId(id)));
    const own = new Set<string>();
    // Of one answer none can have come again: another text with the same id is another record.
    const isKnown = (record: string, index: number) => {
      if (page.ids[index] === undefined || !isVerified) return false;
      const isEqual = own.has(record);
      own.add(record);
      return isEqual || known[index];
    };
    if (isVerified) for (const id of page.ids) if (id !== undefined) ids.add(unescapedId(id));
    // A record added in front while the list is read moves the last ones of a page onto the next.
    const isMoved = (record: string, index: number) =>
      before.has(record) && page.ids[index] !== undefined;
    const texts = records.filter(
      (record, index) => !isMoved(record, index) && !isKnown(record, index),
    );
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
function listMoved(contradictions: readonly string[], walk: Walk): RefusedError {
  const message = `The list changed while it was read: ${contradictions.join('; ')}. Read it again, or set metaKeys.total to false if that number means something else.`;
  return new RefusedError({ reason: 'contradiction', message }, walk);
}

const passesExpected = 'expected a number from 1.5 to 20';
const waitExpected = 'expected a number of 0 or more';
const loopSchema = v.strictObject({
  maxWaitSeconds: v.optional(v.pipe(v.number(waitExpected), v.minValue(0, waitExpected))),
  signal: signalOption,
  resume: v.optional(v.union([WalkSchema], 'expected the walk of an earlier loop (error.walk)')),
  walk: v.optional(v.picklist(WALK_KINDS, "expected 'verified' or 'fast'")),
  maxPasses: v.optional(
    v.pipe(
      v.number(passesExpected),
      v.minValue(1.5, passesExpected),
      v.maxValue(20, passesExpected),
    ),
  ),
  order: v.optional(v.picklist(SET_ORDERS, "expected 'fixed', 'by-last-edit' or 'appended'")),
  onEnd: v.optional(v.function('expected a function')),
  schema: optionalSchema,
});

function requireLoopOptions(options: LoopOptions, perPage: number | undefined): void {
  const { resume } = parseOptions(loopSchema, options, 'options');
  if (resume !== undefined && resume.list.perPage !== perPage) {
    const was = resume.list.perPage ?? 'no perPage';
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

/** Waits until a wait is over by both clocks (client-memory.ts), and not by the timer, which may fire early. */
export async function waitOut(
  { retryAfterSeconds }: Pick<Throttled, 'retryAfterSeconds'>,
  { now, elapsed }: Pick<CustomersClientSettings, 'now' | 'elapsed'>,
  signal?: AbortSignal,
): Promise<void> {
  const waitMs = retryAfterSeconds * 1000;
  const over = { nowMs: now() + waitMs, elapsedMs: elapsed() + waitMs };
  const leftMs = () => Math.max(over.nowMs - now(), over.elapsedMs - elapsed());
  for (let restMs = leftMs(); restMs > 0; restMs = leftMs()) {
    await sleep(Math.min(restMs, MAX_TIMER_MS), undefined, defined({ signal }));
  }
}
