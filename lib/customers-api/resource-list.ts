import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { SettingError } from '../errors.ts';
import { isJsonObject } from '../json/json-value.ts';
import { answerPlan } from './answer-plan.ts';
import type { Exchange } from './exchange.ts';
import { advanceWalk, endOnRefusal } from './list-walk.ts';
import type { ListOutcome, Page, Throttled } from './outcome.ts';
import { errorOf, RefusedError } from './outcome-error.ts';
import { pageOf } from './page.ts';
import { parseOptions } from './parse-options.ts';
import { resourceUrl } from './resource-url.ts';
import type { CustomersClientSettings } from './settings.ts';
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

/** The list of one resource. */
export interface ResourceList {
  /**
   * Asks for one page. Every answer is a value. Only a request whose connection broke is sent once more.
   *
   * @param page 0 or more.
   * @param perPage Records to ask for. @default - `perPage` of the list, or of the client
   * @throws SettingError for numbers that are not whole or too small.
   */
  listPage(page: number, perPage?: number, signal?: AbortSignal): Promise<ListOutcome>;
  /**
   * The pages from the first to the last, one request at a time.
   *
   * @throws ThrottledError, AuthenticationError, UnavailableError or RefusedError, each with `walk`.
   */
  pages(options?: LoopOptions): AsyncGenerator<Page, void, undefined>;
  /**
   * The JSON text of each record. One with an id that the page before held too, unchanged, is left out:
   * the list moved on while it was read. Throws as {@link ResourceList.pages} does.
   */
  records(options?: LoopOptions): AsyncGenerator<string, void, undefined>;
}

export function createResourceList(
  resource: string,
  exchange: Exchange,
  settings: CustomersClientSettings,
  query: Readonly<Record<string, string>> = {},
): ResourceList {
  const { itemsKey, metaKeys, idKey } = settings;
  const url = resourceUrl(settings.apiRoot, resource);
  const plan = answerPlan(metaKeys);
  const listPage: ResourceList['listPage'] = async (page, perPage = settings.perPage, signal) => {
    requireWhole('page', page, 0);
    if (perPage !== undefined) requireWhole('perPage', perPage, 1);
    const request = { url, query: { ...query, page, per_page: perPage }, plan, signal };
    return exchange.get(request, (body, facts) =>
      pageOf(body, {
        page,
        resource,
        itemsKey,
        metaKeys,
        idKey,
        facts,
        holdsKey: exchange.keyInText,
      }),
    );
  };
  const pages: ResourceList['pages'] = (options = {}) => walkPages(listPage, settings, options);
  return { listPage, pages, records: (options) => recordsOf(pages(options)) };
}

async function* walkPages(
  listPage: ResourceList['listPage'],
  settings: CustomersClientSettings,
  options: LoopOptions,
): AsyncGenerator<Page, void, undefined> {
  requireLoopOptions(options, settings.perPage);
  let walk = options.resume ?? startWalk(settings.firstPage, settings.perPage);
  let waitedSeconds = 0;
  while (true) {
    const outcome = await listPage(walk.nextPage, undefined, options.signal);
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

async function* recordsOf(pages: AsyncIterable<Page>): AsyncGenerator<string, void, undefined> {
  let before = new Set<string>();
  for await (const page of pages) {
    const here = new Set<string>();
    for (const [index, record] of page.records.entries()) {
      here.add(record);
      // A record added in front while the list is read moves the last ones of a page onto the next.
      if (before.has(record) && page.ids[index] !== undefined) continue;
      yield record;
    }
    page.release?.();
    before = here;
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

function requireWhole(setting: string, value: unknown, min: number): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return;
  const got = typeof value === 'number' ? String(value) : typeof value;
  throw new SettingError(setting, `expected a whole number of ${min} or more, got ${got}`);
}
