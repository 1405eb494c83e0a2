import type { EndRule, ListWalk } from '../customers-api/list-walk.ts';
import type { StepItem } from '../steps/step-item.ts';

/**
 * The ledger item of one export (`export#<id>`), plain JSON and a few KB at most: parts are items of
 * their own. All times are milliseconds since the epoch.
 */
export interface ExportState extends StepItem {
  readonly v: 1;
  readonly connection: string;
  readonly exportId: string;
  readonly status: ExportStatus;
  readonly plan: ExportPlan;
  readonly startedAtMs: number;
  /** When the export ends as failed if it is not over by then. */
  readonly deadlineAtMs: number;
  /** When the ledger may forget this export and its parts (time to live). */
  readonly deleteAfterMs: number;

  /** The step that the next wake-up is for, from 0. */
  readonly step: number;

  readonly walk: ListWalk;
  /** Present once the list is over; from then on `walk`, `parts` and this do not change any more. */
  readonly end?: ListEnd;
  readonly parts: PartsSoFar;
  readonly counters: ExportCounters;
  readonly inRow: InRow;
  /** When the latest request was sent, so that the next step keeps `requestsPerSecond` too. */
  readonly lastRequestAtMs: number;
  /** VersionIds of the secret whose key was used, in order of first use. */
  readonly keyVersions: readonly string[];
  /** The `meta` block of the first page, as received. */
  readonly firstMetaText?: string;
  /** The `meta` block of the last page that counts, as received. */
  readonly lastMetaText?: string;
  /** The total that the first answer with one told. */
  readonly firstTotal?: number;
  /** What was found about the list but not believed; absent when there was nothing of the kind. */
  readonly warnings?: readonly ListWarning[];

  /** Why a failed or halted export stopped. */
  readonly reason?: ExportReason;
  /** The key version that a halted export must not use; absent when there was no key at all. */
  readonly haltedKeyVersion?: string;
  readonly completeness?: Completeness;
  /** Events that are still to be published, oldest first. */
  readonly unannounced: readonly (EndKind | LongWait)[];
}

type ExportStatus = 'running' | 'completed' | 'failed' | 'halted';

/** What must stay the same through all steps of one export, since it decides what a page number means. */
export interface ExportPlan {
  /** For example `customers`. */
  readonly resource: string;
  /** `per_page` of every request; absent: the API's own default. */
  readonly perPage?: number;
  /** Number of the first page. */
  readonly firstPage: number;
}

interface ListEnd {
  readonly atMs: number;
  readonly rules: readonly EndRule[];
  readonly contradictions: readonly string[];
}

/** One reason not to believe a piece of evidence: a wrong `metaKeys`, or an API that contradicts itself. */
export interface ListWarning {
  /** A sentence that names the place; nothing of a customer. */
  readonly message: string;
  /** On how many pages. */
  readonly pages: number;
}

/** The stored parts that count: a chain of records that begins at the newest. */
interface PartsSoFar {
  readonly count: number;
  /** Token of the newest part's record; absent before the first part. */
  readonly lastToken?: string;
  /** Bytes as stored. */
  readonly storedBytes: number;
}

/**
 * The ledger item of one stored part (`part#<exportId>#<number>#<token>`). It counts only when the chain
 * that begins at `ExportState.parts` leads to it: a crashed or overtaken worker leaves records that no
 * chain reaches.
 */
export interface PartRecord {
  readonly connection: string;
  readonly exportId: string;
  /** From 1. */
  readonly number: number;
  /** Unique to the claim that wrote it: the first 8 hex digits of the lease owner. */
  readonly token: string;
  /** Token of the part before; absent for the first. */
  readonly previousToken?: string;
  /** Where the object is. */
  readonly key: string;
  readonly firstPage: number;
  readonly pages: number;
  readonly records: number;
  /** Bytes before compression. */
  readonly bytes: number;
  readonly storedBytes: number;
  /** SHA-256 of the stored bytes, hex. */
  readonly sha256: string;
  readonly deleteAfterMs: number;
}

/** Requests, throttles and waits are those known at the latest commit: a crash forgets later ones. */
export interface ExportCounters {
  readonly pages: number;
  readonly customers: number;
  /** Bytes of the records before compression. */
  readonly bytes: number;
  readonly requests: number;
  readonly throttles: number;
  /** Sum of the waits that the API asked for. */
  readonly waitedSeconds: number;
}

/** What grows while nothing gets better, and falls to 0 with the next page. */
interface InRow {
  readonly failures: number;
  /** Throttles whose wait the API did not tell. */
  readonly blindThrottles: number;
  /** Steps that took no page, and claims whose worker never came back. */
  readonly stepsWithoutPage: number;
}

export interface ExportReason {
  readonly code: ReasonCode;
  /** What happened, what was expected and what to do. */
  readonly message: string;
  readonly status?: number;
  readonly apiCode?: string;
  readonly requestId?: string;
  /** From when on the API may be asked again. */
  readonly resumeAtMs?: number;
}

export type ReasonCode =
  | 'authentication-failure'
  | 'key-missing'
  | 'key-malformed'
  | 'wait-too-long'
  | 'unavailable'
  | 'refused'
  | 'not-advancing'
  | 'contradiction'
  | 'too-many-pages'
  | 'no-progress'
  | 'waited-too-long'
  | 'deadline';

export interface Completeness {
  readonly verdict: 'complete' | 'drifted' | 'unproven';
  /** One sentence each. */
  readonly reasons: readonly string[];
}

/** How an export came to rest. */
export type EndKind = 'completed' | 'failed' | 'halted';

export type ExportEventKind = EndKind | LongWait['kind'];

/** A wait longer than `longWaitSeconds`, with the facts of when it began: they are told later too. */
export interface LongWait {
  readonly kind: 'throttled-long';
  /** The step that waits. */
  readonly step: number;
  readonly atMs: number;
  readonly untilMs: number;
  readonly pages: number;
  readonly customers: number;
}

/** The ledger item that names a connection's one unfinished export (`active-export`). */
export interface ActiveExport {
  readonly connection: string;
  readonly exportId: string;
  /** `startedAtMs` of the export. */
  readonly sinceMs: number;
}

/** Where an export stands among those of its connection, which are ordered by their start. */
export interface HistoryPlace {
  readonly startedAtMs: number;
  readonly exportId: string;
}
