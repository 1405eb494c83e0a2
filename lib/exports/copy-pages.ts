import type { Page } from '../customers-api/outcome.ts';
import { openWalk } from '../customers-api/walks/open-walk.ts';
import { rowsBefore } from '../customers-api/walks/rows-before.ts';
import type { NoList, PageAsk, Taken } from '../customers-api/walks/taken.ts';
import { takenWithoutPage, type Walker } from '../customers-api/walks/walker.ts';
import { defined } from '../defined.ts';
import type { OrganizationSample } from '../gate/organization-sample.ts';
import type { GateLook, OpenConnection, PageRequest } from '../gate/ports.ts';
import { paceOf } from '../pace/pace-of.ts';
import type { Pacer } from '../pace/pacer.ts';
import type { Lease } from '../steps/step-item.ts';
import { replaceItem } from '../steps/step-kind.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { PageFetcher } from './fetch-pages.ts';
import type { FetchStop } from './fetch-stop.ts';
import { type PageLink, PartWriter } from './part.ts';
import { PartCommits } from './part-commits.ts';
import type { ExportPorts } from './ports.ts';
import { storeRecords } from './store-part.ts';
import { dropPage, endList, holdPage, noteKey, takePage, withRequests } from './take-page.ts';
import { sampleToKeep, takeSample } from './take-sample.ts';
import { untilTimeIsUp } from './until-time-is-up.ts';

export type CopyStop =
  | FetchStop
  | { readonly kind: 'ended' }
  | { readonly kind: 'too-many-pages' }
  | (Omit<NoList, 'kind'> & { readonly kind: 'not-a-list' });

export interface AdmittedStep {
  /** The state in the ledger, with the lease. */
  readonly claimed: ExportState;
  readonly lease: Lease;
  readonly connection: OpenConnection;
  /** Of the connection's key. */
  readonly organizationId: string;
  readonly gate: GateLook;
  /** From then on no request is sent, and running requests are aborted. */
  readonly stopAtMs: number;
}

export type Copied =
  /** `base` is in the ledger; `state` is to be committed in its place. */
  | {
      readonly kind: 'copied';
      readonly base: ExportState;
      readonly state: ExportState;
      readonly stop: CopyStop;
      /** The last rate of the step, set or learned; absent when there was none. */
      readonly requestsPerSecond?: number;
    }
  /** The lease is over, another worker has continued or the export was cancelled: nothing of this worker counts. */
  | { readonly kind: 'overtaken' };

/**
 * Fetches pages until something stops it, and stores them in parts. Each full part is committed while the next
 * part is being filled, so a crash loses the work of at most two parts.
 */
export async function copyPages(
  ports: ExportPorts,
  settings: ExportSettings,
  step: AdmittedStep,
): Promise<Copied> {
  const copy = new PageCopy(ports, settings, step);
  return untilTimeIsUp(ports, step.stopAtMs, copy, () => copy.run());
}

class PageCopy {
  readonly #ports: ExportPorts;
  readonly #settings: ExportSettings;
  readonly #step: AdmittedStep;
  readonly #pace: Pacer;
  readonly #walker: Walker;
  readonly #fetcher: PageFetcher;
  readonly #commits: PartCommits;
  #part: PartWriter;
  #state: ExportState;
  /** The sample in the gate. */
  #kept: OrganizationSample | undefined;

  constructor(ports: ExportPorts, settings: ExportSettings, step: AdmittedStep) {
    const { claimed, connection, gate, stopAtMs } = step;
    const { pagesInFlight } = settings;
    const { keyVersion } = connection;
    const carried = ports.carried?.take(claimed, keyVersion, ports.clock.now());
    // The first answer to another key shows whether it is accepted.
    const isSameKey = claimed.keyVersions.includes(keyVersion);
    const pagesAtOnce = isSameKey ? claimed.pagesAtOnce : undefined;
    this.#ports = ports;
    this.#settings = settings;
    this.#step = step;
    this.#pace = paceOf(settings, gate, claimed.lastRequestAtMs);
    this.#walker = openWalk(claimed.walk);
    const request = requestOf(claimed);
    this.#kept = gate.sample;
    this.#fetcher = new PageFetcher(ports, {
      connectionName: claimed.connection,
      exportId: claimed.exportId,
      connection,
      request,
      ask: (ahead) => this.#walker.ask(ahead),
      gate,
      pace: this.#pace,
      blindThrottles: claimed.inRow.blindThrottles,
      stopAtMs,
      doubtsCarried: claimed.walk.kind === 'fast',
      ...defined({ pagesInFlight, pagesAtOnce, carried }),
    });
    this.#commits = new PartCommits(
      claimed,
      (base, state, part) => this.#commit(base, state, part),
      () => this.#fetcher.close(),
    );
    this.#part = newPart(claimed);
    this.#state = noteKey(claimed, connection.keyVersion, step.organizationId);
  }

  abandon(): void {
    this.#fetcher.abandon();
  }

  async over(): Promise<void> {
    await this.#fetcher.over();
    await this.#commits.over();
    this.#part.discard();
  }

  async run(): Promise<Copied> {
    try {
      return await this.#copy();
    } catch (error) {
      await this.#readOut();
      throw error;
    }
  }

  async #copy(): Promise<Copied> {
    for (;;) {
      const stop = await this.#takeNext();
      if (stop?.kind === 'cancelled') return this.#leave();
      if (stop === undefined && !this.#part.isFull(this.#settings)) continue;
      const base = await this.#commits.settled();
      if (base === undefined) return this.#leave();
      this.#state = { ...this.#state, parts: base.parts };
      if (stop !== undefined) return this.#end(base, stop);
      this.#commits.begin(base, this.#state, this.#part);
      this.#part = newPart(this.#state);
    }
  }

  /** Nothing more is sent. Answers of requests that are under way may ask for a wait, so they are read to their end. */
  async #readOut(): Promise<void> {
    this.#fetcher.close();
    await this.#fetcher.over();
  }

  async #leave(): Promise<Copied> {
    await this.#readOut();
    return { kind: 'overtaken' };
  }

  /** Adds the next page to the part. @returns The reason when there is no next page. */
  async #takeNext(): Promise<CopyStop | undefined> {
    const ask = this.#walker.ask(0);
    const before = rowsBefore(this.#walker.state);
    const fetched = await this.#fetcher.next();
    if (fetched.kind === 'page') {
      const { page } = fetched;
      return this.#taken(this.#walker.take(page), ask, { page, before });
    }
    // Some APIs refuse the page after the last one, or a size of pages: the walk knows what that means.
    const taken =
      'outcome' in fetched ? takenWithoutPage(this.#walker, fetched.outcome) : undefined;
    if (taken === undefined) return fetched;
    this.#fetcher.askAnew();
    return this.#taken(taken, ask);
  }

  async #taken(
    taken: Taken,
    ask: PageAsk | undefined,
    { page, before }: { readonly page?: Page; readonly before?: number | undefined } = {},
  ): Promise<CopyStop | undefined> {
    if (taken.kind === 'refused') {
      return { ...taken, kind: 'not-a-list' };
    }
    if (taken.kind === 'held' && page !== undefined) {
      this.#state = holdPage(this.#state, this.#walker.state);
      this.#fetcher.askInFront(page);
    } else if (taken.kind === 'page' && page !== undefined) {
      // Before its memory is given back.
      const nowMs = this.#ports.clock.now();
      this.#state = takeSample(this.#state, page, { ...taken, ask, before }, nowMs);
      await this.#append(page, taken);
    } else if (ask !== undefined) this.#state = dropPage(this.#state, ask, this.#walker.state);
    if (taken.end !== undefined) {
      this.#state = endList(this.#state, taken.end, this.#ports.clock.now());
      return { kind: 'ended' };
    }
    if (taken.next === 'anew') this.#fetcher.askAnew();
    const isTooLong = this.#state.counters.pages >= this.#settings.maxPages;
    return isTooLong ? { kind: 'too-many-pages' } : undefined;
  }

  async #append(page: Page, link: PageLink): Promise<void> {
    const { records, bytes } = this.#part;
    await this.#part.append(page, link);
    this.#state = takePage(this.#state, page, this.#walker.state, {
      records: this.#part.records - records,
      bytes: this.#part.bytes - bytes,
    });
  }

  async #end(base: ExportState, stop: CopyStop): Promise<Copied> {
    const state = await this.#store(this.#state, this.#part);
    if (state === undefined) return { kind: 'overtaken' };
    const { requestsPerSecond } = this.#pace;
    const { carried, clock } = this.#ports;
    const rest = stop.kind === 'ended' ? [] : this.#fetcher.rest();
    carried?.keep(state, this.#step.connection.keyVersion, rest, clock.now());
    return { kind: 'copied', base, state, stop, ...defined({ requestsPerSecond }) };
  }

  async #commit(
    base: ExportState,
    filled: ExportState,
    full: PartWriter,
  ): Promise<ExportState | undefined> {
    const stored = await this.#store(filled, full);
    return stored === undefined ? undefined : replaceItem(exportSteps(this.#ports), base, stored);
  }

  /** Stores the part and the pace. @returns `undefined` when the lease is over. */
  async #store(filled: ExportState, full: PartWriter): Promise<ExportState | undefined> {
    const { claimed, lease } = this.#step;
    const stored = await storeRecords(this.#ports, filled, lease, full);
    if (stored === undefined) return undefined;
    await this.#storeLearned(filled);
    const { tally, pagesAtOnce } = this.#fetcher;
    const { pagesAtOnce: _earlier, ...rest } = withRequests(
      stored,
      claimed,
      tally,
      this.#pace.lastAtMs,
    );
    return { ...rest, ...defined({ pagesAtOnce }) };
  }

  /**
   * Once per part and step. After a crash the rest is learned again. It is advice: where the gate takes none of it, the
   * pages count all the same, or they would be asked for again and again.
   */
  async #storeLearned(filled: ExportState): Promise<void> {
    const { gates, clock } = this.#ports;
    const { claimed, organizationId, lease } = this.#step;
    const { connection } = claimed;
    const { known } = this.#pace;
    const unstored = () => undefined;
    if (known !== undefined) {
      await gates.storePace(connection, organizationId, known).catch(unstored);
    }
    const sample = sampleToKeep(filled, this.#kept);
    // Who has continued since may have found a better one.
    if (sample === undefined || clock.now() >= lease.untilMs) return;
    const stored = gates.storeSample(connection, organizationId, sample);
    await stored.then(() => {
      this.#kept = sample;
    }, unstored);
  }
}

/** What all requests for the pages of an export have in common, if the walk does not say otherwise. */
function requestOf({ list, plan }: ExportState): Omit<PageRequest, 'page'> {
  const { resource, perPage, query, itemsKey } = plan;
  return { list, resource, query, ...defined({ perPage, itemsKey }) };
}

/** Pages are counted as they are taken: those of a walk with pages of several sizes have no other order. */
function newPart({ plan, counters }: ExportState): PartWriter {
  return new PartWriter(plan.firstPage + counters.pages, plan.compression);
}
