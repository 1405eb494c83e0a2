import { advanceWalk, endOnRefusal } from '../customers-api/list-walk.ts';
import type { Page } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { type OrganizationSample, SAMPLED_LIST, sampleOf } from '../gate/organization.ts';
import type { GateLook, OpenConnection, PageRequest } from '../gate/ports.ts';
import { AdaptivePace } from '../pace/adaptive-pace.ts';
import type { SetPace } from '../pace/set-pace.ts';
import type { Lease } from '../steps/step-item.ts';
import { replaceItem } from '../steps/step-kind.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { type FetchTally, PageFetcher, paceOf, untilTimeIsUp } from './fetch-pages.ts';
import type { FetchStop } from './fetch-stop.ts';
import { PartWriter } from './part.ts';
import { PartCommits } from './part-commits.ts';
import type { ExportPorts } from './ports.ts';
import { storePart } from './store-part.ts';
import { endList, lastPageHint, takePage } from './take-page.ts';

export type CopyStop =
  | FetchStop
  | { readonly kind: 'ended' }
  | { readonly kind: 'too-many-pages' }
  | {
      readonly kind: 'not-a-list';
      readonly reason: 'not-advancing' | 'contradiction';
      readonly message: string;
    };

export interface ClaimedStep {
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
  step: ClaimedStep,
): Promise<Copied> {
  const copy = new PageCopy(ports, settings, step);
  return untilTimeIsUp(ports, step.stopAtMs, copy, () => copy.run());
}

class PageCopy {
  readonly #ports: ExportPorts;
  readonly #settings: ExportSettings;
  readonly #step: ClaimedStep;
  readonly #pace: AdaptivePace | SetPace;
  readonly #fetcher: PageFetcher;
  readonly #commits: PartCommits;
  #part: PartWriter;
  #state: ExportState;
  /** Of the first page with records; one for a step is enough. */
  #sample: OrganizationSample | undefined;
  #isSampled = false;

  constructor(ports: ExportPorts, settings: ExportSettings, step: ClaimedStep) {
    const { claimed, connection, gate, stopAtMs } = step;
    const { pagesInFlight } = settings;
    this.#ports = ports;
    this.#settings = settings;
    this.#step = step;
    this.#pace = paceOf(settings, gate, claimed.lastRequestAtMs);
    this.#fetcher = new PageFetcher(ports, {
      connectionName: claimed.connection,
      exportId: claimed.exportId,
      connection,
      plan: requestOf(claimed),
      nextPage: claimed.walk.nextPage,
      gate,
      pace: this.#pace,
      blindThrottles: claimed.inRow.blindThrottles,
      stopAtMs,
      ...defined({ pagesInFlight }),
    });
    this.#commits = new PartCommits(
      claimed,
      (base, state, part) => this.#commit(base, state, part),
      () => this.#fetcher.close(),
    );
    this.#part = new PartWriter(claimed.walk.nextPage);
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
    for (;;) {
      const stop = await this.#takeNext();
      if (stop?.kind === 'cancelled') return this.#leave();
      if (stop === undefined && !this.#part.isFull(this.#settings)) continue;
      const base = await this.#commits.settled();
      if (base === undefined) return this.#leave();
      this.#state = { ...this.#state, parts: base.parts };
      if (stop !== undefined) return this.#end(base, stop);
      this.#commits.begin(base, this.#state, this.#part);
      this.#part = new PartWriter(this.#state.walk.nextPage);
    }
  }

  /** Answers of requests that are under way may ask for a wait, so they are read to their end. */
  async #leave(): Promise<Copied> {
    this.#fetcher.close();
    await this.#fetcher.over();
    return { kind: 'overtaken' };
  }

  /** Adds the next page to the part. @returns The reason when there is no next page. */
  async #takeNext(): Promise<CopyStop | undefined> {
    const fetched = await this.#fetcher.next();
    if (fetched.kind !== 'page') {
      const end = endOf(this.#state, fetched);
      if (end === undefined) return fetched;
      this.#state = endList(this.#state, end, this.#ports.clock.now());
      return { kind: 'ended' };
    }
    const { page } = fetched;
    const { walk, decision } = advanceWalk(this.#state.walk, page);
    if (decision.kind === 'refused') {
      const { reason, message } = decision;
      return { kind: 'not-a-list', reason, message };
    }
    if (decision.takeRecords) {
      this.#takeSample(page);
      await this.#part.append(page);
      this.#state = takePage(this.#state, page, walk);
    }
    if (decision.kind === 'end') {
      this.#state = endList(this.#state, decision, this.#ports.clock.now());
      return { kind: 'ended' };
    }
    this.#fetcher.expectLastPage(lastPageHint(walk, page));
    const isTooLong = this.#state.counters.pages >= this.#settings.maxPages;
    return isTooLong ? { kind: 'too-many-pages' } : undefined;
  }

  async #end(base: ExportState, stop: CopyStop): Promise<Copied> {
    const state = await this.#store(this.#state, this.#part);
    if (state === undefined) return { kind: 'overtaken' };
    const { requestsPerSecond } = this.#pace;
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
    const { claimed, lease, organizationId } = this.#step;
    const stored = await storeRecords(this.#ports, filled, lease, full);
    if (stored === undefined) return undefined;
    // Once per part and step. After a crash the rest is learned again.
    const known = this.#pace instanceof AdaptivePace ? this.#pace.known : undefined;
    const { gates } = this.#ports;
    if (known !== undefined) await gates.storePace(claimed.connection, organizationId, known);
    const sample = this.#sample;
    this.#sample = undefined;
    if (sample !== undefined) await gates.storeSample(claimed.connection, organizationId, sample);
    return withRequests(stored, claimed, this.#fetcher.tally, this.#pace.lastAtMs);
  }

  #takeSample(page: Page): void {
    const { list, ...request } = requestOf(this.#step.claimed);
    if (this.#isSampled || list !== SAMPLED_LIST) return;
    const about = { ...request, page: page.page };
    this.#sample = sampleOf(about, page.records, this.#ports.clock.now());
    this.#isSampled = this.#sample !== undefined;
  }
}

/** What all requests for the pages of an export have in common. */
function requestOf({ list, plan }: ExportState): Omit<PageRequest, 'page'> {
  const { firstPage: _firstPage, ...request } = plan;
  return { list, ...request };
}

/** Counts the requests of a step: `claimed` has those before it. */
export function withRequests(
  state: ExportState,
  { counters }: ExportState,
  { requests, throttles, waitedSeconds }: FetchTally,
  lastRequestAtMs: number,
): ExportState {
  return {
    ...state,
    lastRequestAtMs,
    counters: {
      ...state.counters,
      requests: counters.requests + requests,
      throttles: counters.throttles + throttles,
      waitedSeconds: counters.waitedSeconds + waitedSeconds,
    },
  };
}

/**
 * Stores a part if it has records. Without a lease nothing is stored: a part that is stored after the manifest
 * would never be deleted.
 *
 * @returns `undefined` when the lease is over.
 */
async function storeRecords(
  ports: Pick<ExportPorts, 'clock' | 'store' | 'ledger'>,
  state: ExportState,
  lease: Lease,
  part: PartWriter,
): Promise<ExportState | undefined> {
  const body = part.records === 0 ? undefined : await part.finish();
  if (ports.clock.now() >= lease.untilMs) return undefined;
  return body === undefined ? state : storePart(ports, state, lease.owner, body);
}

/** Some APIs refuse the page after the last one: this refusal is the end of the list. */
function endOf(state: ExportState, stop: FetchStop) {
  if (stop.kind !== 'refused' || stop.outcome.status === undefined) return undefined;
  const decision = endOnRefusal(state.walk, stop.outcome.status);
  return decision?.kind === 'end' ? decision : undefined;
}

/** The latest ones; an export that lasts a day meets one or two. */
const MAX_KEY_VERSIONS = 100;

function noteKey(state: ExportState, keyVersion: string, organizationId: string): ExportState {
  // Keys of another organization brought no page, or the export would have ended.
  const keyVersions = state.organizationId === organizationId ? state.keyVersions : [];
  const isNew = !keyVersions.includes(keyVersion);
  return {
    ...state,
    organizationId,
    keyVersions: isNew ? [...keyVersions, keyVersion].slice(-MAX_KEY_VERSIONS) : keyVersions,
  };
}
