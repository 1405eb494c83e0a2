import { advanceWalk, endOnRefusal } from '../customers-api/list-walk.ts';
import { defined } from '../defined.ts';
import type { GateLook, OpenConnection } from '../gate/ports.ts';
import { AdaptivePace } from '../pace/adaptive-pace.ts';
import { SetPace } from '../pace/set-pace.ts';
import type { Lease } from '../steps/step-item.ts';
import { replaceItem } from '../steps/step-kind.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { PageFetcher } from './fetch-pages.ts';
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
  /** The lease is over, or another worker has continued: nothing of this worker counts. */
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
  const done = new AbortController();
  const timeUp = ports.clock
    .sleep(Math.max(0, step.stopAtMs - ports.clock.now()), done.signal)
    .then(() => copy.abandon());
  try {
    return await copy.run();
  } finally {
    // This aborts running requests. Afterwards a last answer may still have to be recorded in the gate.
    done.abort();
    await timeUp;
    await copy.over();
  }
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

  constructor(ports: ExportPorts, settings: ExportSettings, step: ClaimedStep) {
    const { claimed, connection, gate, stopAtMs } = step;
    const { requestsPerSecond, pagesInFlight } = settings;
    this.#ports = ports;
    this.#settings = settings;
    this.#step = step;
    this.#pace =
      requestsPerSecond === undefined
        ? new AdaptivePace(gate.pace, claimed.lastRequestAtMs)
        : new SetPace(requestsPerSecond, claimed.lastRequestAtMs);
    this.#fetcher = new PageFetcher(ports, {
      connectionName: claimed.connection,
      connection,
      plan: claimed.plan,
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
      () => this.abandon(),
    );
    this.#part = new PartWriter(claimed.walk.nextPage);
    this.#state = noteKeyVersion(claimed, connection.keyVersion);
  }

  abandon(): void {
    this.#fetcher.abandon();
  }

  async over(): Promise<void> {
    await this.#fetcher.allRecorded();
    await this.#commits.over();
    this.#part.discard();
  }

  async run(): Promise<Copied> {
    for (;;) {
      const stop = await this.#takeNext();
      if (stop === undefined && !this.#part.isFull(this.#settings)) continue;
      const base = await this.#commits.settled();
      if (base === undefined) return { kind: 'overtaken' };
      this.#state = { ...this.#state, parts: base.parts };
      if (stop !== undefined) return this.#end(base, stop);
      this.#commits.begin(base, this.#state, this.#part);
      this.#part = new PartWriter(this.#state.walk.nextPage);
    }
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
    const { claimed, lease } = this.#step;
    const stored = await storeRecords(this.#ports, filled, lease, full);
    if (stored === undefined) return undefined;
    // Once per part and step. After a crash the rest is learned again.
    const known = this.#pace instanceof AdaptivePace ? this.#pace.known : undefined;
    if (known !== undefined) await this.#ports.gates.storePace(claimed.connection, known);
    return this.#withRequests(stored);
  }

  #withRequests(state: ExportState): ExportState {
    const { counters } = this.#step.claimed;
    const { requests, throttles, waitedSeconds } = this.#fetcher.tally;
    return {
      ...state,
      lastRequestAtMs: this.#pace.lastAtMs,
      counters: {
        ...state.counters,
        requests: counters.requests + requests,
        throttles: counters.throttles + throttles,
        waitedSeconds: counters.waitedSeconds + waitedSeconds,
      },
    };
  }
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

function noteKeyVersion(state: ExportState, keyVersion: string): ExportState {
  if (state.keyVersions.includes(keyVersion)) return state;
  return { ...state, keyVersions: [...state.keyVersions, keyVersion] };
}
