import type { ListOutcome, Page } from '../customers-api/outcome.ts';
import type { PageAsk } from '../customers-api/walks/taken.ts';
import type { Walker } from '../customers-api/walks/walker.ts';
import { deferred } from '../deferred.ts';
import { WOKEN } from '../gate/pause.ts';
import type { OpenConnection, PageRequest } from '../gate/ports.ts';
import type { Answered, SentRequest } from '../pace/pacer.ts';
import { type AskedPage, isDoubtful, isSettled, memoryOf } from './asked-page.ts';
import { AskedPages } from './asked-pages.ts';
import { type CarriedPage, wantedPages } from './carried-pages.ts';
import { type FetchStop, stopAt } from './fetch-stop.ts';
import { type DeparturePorts, type DeparturesOf, PageDepartures } from './page-departures.ts';
import { PagesInFlight } from './pages-in-flight.ts';
import {
  isHeldBack,
  ToldByAnswers,
  type ToldPlan,
  type ToldPorts,
  type ToldTally,
} from './told-by-answers.ts';

/** The next page in page order, or the reason why there is none. */
type Fetched = { readonly kind: 'page'; readonly page: Page } | FetchStop;

export interface FetchTally extends Omit<ToldTally, 'heldBack'> {
  readonly requests: number;
}

type FetchPorts = DeparturePorts & ToldPorts;

interface FetchPlan extends DeparturesOf, ToldPlan {
  readonly connection: OpenConnection;
  /** What all requests have in common, where the ask does not say otherwise. */
  readonly request: Omit<PageRequest, 'page'>;
  /** What to ask for next, counted from the answer that {@link PageFetcher.next} gives next, see `Walker`. */
  readonly ask: Walker['ask'];
  readonly pagesInFlight?: number;
  /** What was good in the step before, with the same key. @default 1 until the first answer */
  readonly pagesAtOnce?: number;
  /** What the step before got of what is to be asked for next. @default nothing */
  readonly carried?: readonly CarriedPage[];
  /** Whether the walk does not see that the list moved since those came. @default false */
  readonly doubtsCarried?: boolean;
}

/** Pages that were answered wait for a slow one before them: so many times those that run at the same time, with it. */
const MAX_AHEAD = 2;

interface Sent extends SentRequest {
  readonly over: ReturnType<PagesInFlight['sent']>;
}

/**
 * Requests pages ahead and returns them strictly in the order in which they were asked for. After the first answer that
 * is not a page no further request is sent. Later pages, and answers that arrive after the end, are dropped.
 */
export class PageFetcher {
  readonly #ports: FetchPorts;
  readonly #plan: FetchPlan;
  readonly #abort = new AbortController();
  readonly #asked: AskedPages;
  readonly #underWay = new Set<Promise<void>>();
  #closing: FetchStop | undefined;
  readonly #pagesInFlight: PagesInFlight;
  readonly #departures: PageDepartures;
  #settled = deferred<void>();
  readonly #told: ToldByAnswers;
  #requests = 0;
  #hasPage = false;

  constructor(ports: FetchPorts, plan: FetchPlan) {
    this.#ports = ports;
    this.#plan = plan;
    const { pagesInFlight, pagesAtOnce, carried = [], doubtsCarried = false } = plan;
    this.#pagesInFlight = new PagesInFlight(pagesInFlight, pagesAtOnce);
    this.#asked = new AskedPages(wantedPages(carried, plan.ask), doubtsCarried);
    this.#told = new ToldByAnswers(ports, plan);
    this.#departures = new PageDepartures(ports, plan, this.#told);
  }

  get tally(): FetchTally {
    const { heldBack, ...told } = this.#told.tally;
    return { requests: this.#requests - heldBack, ...told };
  }

  /** With how many requests at the same time the next step is to begin; `undefined` before the first page. */
  get pagesAtOnce(): number | undefined {
    if (!this.#hasPage) return undefined;
    const { requestsPerSecond, isByChance } = this.#plan.pace;
    const isAfterChance = isByChance === true && this.#told.tally.throttles > 0;
    return isAfterChance
      ? this.#pagesInFlight.limitAfterChance()
      : this.#pagesInFlight.limit(requestsPerSecond);
  }

  /** What came of what {@link next} would give, up to the last page that did. Call it once {@link next} gave another outcome. */
  rest(): readonly CarriedPage[] {
    return this.#asked.rest();
  }

  /** Sends no further request. Answers of running ones may ask for a wait, so they are still read. */
  close(): void {
    this.#closing ??= { kind: 'time-up' };
  }

  /** Aborts running requests; their answers are dropped. */
  abandon(): void {
    this.close();
    this.#abort.abort();
  }

  /**
   * Resolves when all requests are over and their outcomes are recorded in the gate, or when time is up. No
   * step may end before that, even after an error. Call {@link abandon} or {@link close} first. It never rejects: {@link next}
   * throws the errors of the gate.
   */
  async over(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * Asks anew for all that is under way: the answers to earlier asks are dropped. Also lets {@link next} go on after a
   * refusal.
   */
  askAnew(): void {
    this.#asked.dropAll();
  }

  /**
   * Asks for a page in front of all that is under way. Behind it comes the page that {@link next} gave last: it is held.
   */
  askInFront(held: Page): void {
    this.#asked.putInFront(held);
  }

  /** @throws What a port throws; never for an answer of the API. */
  async next(): Promise<Fetched> {
    for (;;) {
      const { all, head } = this.#asked;
      const failed = all.find((each) => each.failure !== undefined)?.failure;
      if (failed !== undefined) throw failed.error;
      if (head?.isMissing === true) this.#asked.missNoPages();
      const { headPage: page } = this.#asked;
      if (page !== undefined) {
        this.#asked.takeHead();
        return { kind: 'page', page };
      }
      // With what was asked for behind a page that is missing: it is carried.
      const isAbsent = head?.isMissing === true || (head !== undefined && isDoubtful(head));
      const isOver = head === undefined || (isAbsent && all.every(isSettled));
      if (isOver && this.#closing !== undefined) return this.#closing;
      const { stopping } = this.#asked;
      if (stopping !== undefined && all.every(isSettled)) {
        return stopAt(stopping, all, this.#abort.signal.aborted);
      }
      await this.#sendOrWait();
    }
  }

  async #sendOrWait(): Promise<void> {
    const settled = this.#settled.promise;
    if (!this.#mayAskAhead()) return settled;
    await this.#departures.look();
    // Answers that arrived meanwhile may end the step.
    if (!this.#mayAskAhead()) return;
    const { clock } = this.#ports;
    const nowMs = clock.now();
    const next = this.#departures.next(nowMs, this.#pagesInFlight.latencyMs);
    if (next.kind === 'stop') this.#closing = next.stop;
    if (next.kind === 'place') await this.#departures.takePlace(next.paceAtMs, nowMs);
    if (next.kind !== 'at') return;
    if (next.atMs <= nowMs) return this.#send(nowMs);
    const wakeUp = new AbortController();
    await Promise.race([settled, clock.sleep(Math.ceil(next.atMs - nowMs), wakeUp.signal)]);
    wakeUp.abort(WOKEN);
  }

  #mayAskAhead(): boolean {
    if (this.#closing !== undefined || this.#asked.droppedRejection !== undefined) return false;
    const place = this.#asked.nextPlace;
    if (place === undefined) return false;
    const most = this.#pagesInFlight.limit(
      this.#plan.pace.requestsPerSecond,
      this.#asked.heldBytes,
    );
    const isIdle = this.#underWay.size === 0;
    // The page in front may wait for one that is further ahead.
    if (this.#underWay.size >= most || (place >= most * MAX_AHEAD && !isIdle)) return false;
    if (this.#plan.ask(place) !== undefined) return true;
    if (!isIdle) return false;
    if (this.#asked.missDoubtful()) return this.#mayAskAhead();
    throw new Error('The walk has no page to ask for.');
  }

  #send(nowMs: number): void {
    const place = this.#asked.nextPlace;
    const ask = place === undefined ? undefined : this.#plan.ask(place);
    if (place === undefined || ask === undefined) return;
    const entry = this.#asked.ask(place);
    const sent = this.#departures.sent(nowMs);
    const over = this.#pagesInFlight.sent(nowMs);
    this.#requests++;
    const asked = this.#ask(entry, ask, { ...sent, over })
      .catch((error: unknown) => {
        entry.failure = { error };
      })
      .then(() => {
        this.#underWay.delete(asked);
        this.#settled.resolve();
        this.#settled = deferred<void>();
      });
    this.#underWay.add(asked);
  }

  async #ask(entry: AskedPage, ask: PageAsk, sent: Sent): Promise<void> {
    const { connection, request } = this.#plan;
    const { clock } = this.#ports;
    const onLeave = () => sent.left(clock.now());
    const outcome = await connection.listPage({ ...request, ...ask }, this.#abort.signal, onLeave);
    const nowMs = clock.now();
    const isPage = outcome.kind === 'page';
    this.#hasPage ||= isPage;
    sent.over(nowMs, memoryOf(outcome), clock.busyMs?.());
    sent.answered(answeredAs(outcome, nowMs));
    // Set this first, so that no request is sent while the outcome is being recorded in the gate. A page is handed
    // out after that: until then its failure would find nobody.
    if (!isPage) entry.outcome = outcome;
    await this.#told.record(outcome, (untilMs) => {
      entry.notBeforeMs = untilMs;
      this.#departures.told(untilMs);
    });
    entry.outcome = outcome;
    this.#asked.settle(entry);
  }
}

function answeredAs(outcome: ListOutcome, atMs: number): Answered {
  if (outcome.kind === 'page') return { kind: 'admitted', rateLimit: outcome.rateLimit, atMs };
  // What was not sent says nothing about the limit.
  if (outcome.kind !== 'throttled' || isHeldBack(outcome)) return { kind: 'other' };
  const { waitSource, retryAfterSeconds, rateLimit } = outcome;
  return {
    kind: 'throttled',
    rateLimit,
    waitSeconds: waitSource === 'backoff' ? undefined : retryAfterSeconds,
    atMs,
  };
}
