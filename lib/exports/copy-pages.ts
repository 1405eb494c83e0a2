import { advanceWalk, endOnRefusal } from '../customers-api/list-walk.ts';
import type { Page } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import type { GateLook, OpenConnection } from '../gate/ports.ts';
import { AdaptivePace } from '../pace/adaptive-pace.ts';
import type { Pacer } from '../pace/pacer.ts';
import { SetPace } from '../pace/set-pace.ts';
import type { Lease } from '../steps/lease.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportState } from './export-state.ts';
import { PageFetcher } from './fetch-pages.ts';
import type { FetchStop } from './fetch-stop.ts';
import { PartWriter } from './part.ts';
import { type CommitPart, PartCommits } from './part-commits.ts';
import type { ExportPorts } from './ports.ts';
import { replaceState } from './replace-state.ts';
import { storePart } from './store-part.ts';
import { endList, lastPageHint, takePage } from './take-page.ts';

/** Why a step stopped copying. */
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
  /** As the ledger holds it, under the lease. */
  readonly claimed: ExportState;
  readonly lease: Lease;
  readonly connection: OpenConnection;
  /** As read when the step was claimed. */
  readonly gate: GateLook;
  /** From then on nothing is sent, and what is under way is cut off. */
  readonly stopAtMs: number;
}

export type Copied =
  /** `base` is what the ledger holds; `state` is to be committed in its place. */
  | {
      readonly kind: 'copied';
      readonly base: ExportState;
      readonly state: ExportState;
      readonly stop: CopyStop;
      /** The rate that was kept in the end, set or learned; absent where none was. */
      readonly requestsPerSecond?: number;
    }
  /** The lease is over, or another worker has gone on: nothing of this one counts any more. */
  | { readonly kind: 'overtaken' };

/**
 * Takes pages until something stops it, and stores them in parts. Every full part is committed while the next
 * one is being filled, so that a crash loses no more than two parts' work.
 */
export async function copyPages(
  ports: ExportPorts,
  settings: ExportSettings,
  step: ClaimedStep,
): Promise<Copied> {
  const { claimed, lease, connection, gate, stopAtMs } = step;
  const { requestsPerSecond, pagesInFlight } = settings;
  const learning = new AdaptivePace(gate.pace, claimed.lastRequestAtMs);
  const pace =
    requestsPerSecond === undefined
      ? learning
      : new SetPace(requestsPerSecond, claimed.lastRequestAtMs);
  const fetcher = new PageFetcher(ports, {
    connectionName: claimed.connection,
    connection,
    plan: claimed.plan,
    nextPage: claimed.walk.nextPage,
    gate,
    pace,
    blindThrottles: claimed.inRow.blindThrottles,
    stopAtMs,
    ...defined({ pagesInFlight }),
  });
  const done = new AbortController();
  const timeUp = ports.clock
    .sleep(Math.max(0, stopAtMs - ports.clock.now()), done.signal)
    .then(() => fetcher.abandon());
  const store = async (filled: ExportState, full: PartWriter): Promise<ExportState | undefined> => {
    const stored = await storeRecords(ports, filled, lease, full);
    if (stored === undefined) return undefined;
    if (pace === learning) await storePace(ports, claimed.connection, learning);
    return noteRequests(stored, claimed, fetcher, pace);
  };
  const commit: CommitPart = async (base, filled, full) => {
    const stored = await store(filled, full);
    return stored === undefined ? undefined : replaceState(ports, base, stored);
  };
  const commits = new PartCommits(claimed, commit, () => fetcher.abandon());

  let part = new PartWriter(claimed.walk.nextPage);
  let state = noteKeyVersion(claimed, connection.keyVersion);
  try {
    for (;;) {
      const taken = await takeNext(ports, settings, fetcher, state, part);
      state = taken.state;
      if (taken.stop === undefined && !part.isFull(settings)) continue;
      const base = await commits.settled();
      if (base === undefined) return { kind: 'overtaken' };
      state = { ...state, parts: base.parts };
      if (taken.stop === undefined) {
        commits.begin(base, state, part);
        part = new PartWriter(state.walk.nextPage);
        continue;
      }
      const stored = await store(state, part);
      if (stored === undefined) return { kind: 'overtaken' };
      const perSecond = pace.requestsPerSecond;
      return {
        kind: 'copied',
        base,
        state: stored,
        stop: taken.stop,
        ...defined({ requestsPerSecond: perSecond }),
      };
    }
  } finally {
    // This abandons what is under way; then a last answer may still have to be told.
    done.abort();
    await timeUp;
    await fetcher.allTold();
    await commits.over();
    part.discard();
  }
}

/**
 * Stores a part, if there are records for one. Nothing is stored without a lease: a part behind the manifest
 * would never be removed.
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

/** Once for every part and step: what is learned in between is learned again after a crash. */
async function storePace(
  { gates }: Pick<ExportPorts, 'gates'>,
  connection: string,
  { known }: AdaptivePace,
): Promise<void> {
  if (known !== undefined) await gates.storePace(connection, known);
}

interface Taken {
  readonly state: ExportState;
  readonly stop?: CopyStop;
}

async function takeNext(
  ports: Pick<ExportPorts, 'clock'>,
  settings: ExportSettings,
  fetcher: PageFetcher,
  state: ExportState,
  part: PartWriter,
): Promise<Taken> {
  const fetched = await fetcher.next();
  if (fetched.kind !== 'page') return atStop(state, fetched, ports.clock.now());
  const { page } = fetched;
  const { walk, decision } = advanceWalk(state.walk, page);
  if (decision.kind === 'refused') {
    const { reason, message } = decision;
    return { state, stop: { kind: 'not-a-list', reason, message } };
  }
  const taken = decision.takeRecords ? await takeInto(part, state, page, walk) : state;
  if (decision.kind === 'end') {
    return { state: endList(taken, decision, ports.clock.now()), stop: { kind: 'ended' } };
  }
  fetcher.expectLastPage(lastPageHint(walk, page));
  const isTooLong = taken.counters.pages >= settings.maxPages;
  return isTooLong ? { state: taken, stop: { kind: 'too-many-pages' } } : { state: taken };
}

async function takeInto(
  part: PartWriter,
  state: ExportState,
  page: Page,
  walk: ExportState['walk'],
): Promise<ExportState> {
  await part.append(page);
  return takePage(state, page, walk);
}

/** Some APIs refuse the page past the end: then the refusal is the end. */
function atStop(state: ExportState, stop: FetchStop, nowMs: number): Taken {
  if (stop.kind !== 'refused' || stop.outcome.status === undefined) return { state, stop };
  const decision = endOnRefusal(state.walk, stop.outcome.status);
  if (decision?.kind !== 'end') return { state, stop };
  return { state: endList(state, decision, nowMs), stop: { kind: 'ended' } };
}

function noteKeyVersion(state: ExportState, keyVersion: string): ExportState {
  if (state.keyVersions.includes(keyVersion)) return state;
  return { ...state, keyVersions: [...state.keyVersions, keyVersion] };
}

/** What the fetcher has sent in this step, on top of what was counted before it. */
function noteRequests(
  state: ExportState,
  claimed: ExportState,
  fetcher: PageFetcher,
  pace: Pacer,
): ExportState {
  const { requests, throttles, waitedSeconds } = fetcher.tally;
  return {
    ...state,
    lastRequestAtMs: pace.lastAtMs,
    counters: {
      ...state.counters,
      requests: claimed.counters.requests + requests,
      throttles: claimed.counters.throttles + throttles,
      waitedSeconds: claimed.counters.waitedSeconds + waitedSeconds,
    },
  };
}
