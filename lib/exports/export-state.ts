import type { UnavailableReason } from '../customers-api/outcome.ts';
import type { EndRule } from '../customers-api/walk-state.ts';
import type { PageAsk, WalkProof } from '../customers-api/walks/taken.ts';
import type { Walk } from '../customers-api/walks/walker.ts';
import type { StepItem } from '../steps/step-item.ts';
import type { Compression } from './compression.ts';
import type { Repeats } from './part-index.ts';

/**
 * The ledger item of one export (`export#<id>`): plain JSON, a few KB at most, since parts are separate items.
 * All times are milliseconds since the epoch.
 */
export interface ExportState extends StepItem {
  /** 1: of a version without lists, which began it; its objects keep their places (`exportPrefix`). */
  readonly v: 1 | 2;
  readonly connection: string;
  readonly list: string;
  readonly exportId: string;
  readonly status: ExportStatus;
  readonly plan: ExportPlan;
  readonly startedAtMs: number;
  /** An export that runs longer fails. */
  readonly deadlineAtMs: number;
  /** When the export and its parts expire (DynamoDB time to live). */
  readonly deleteAfterMs: number;

  /** The step of the next wake-up, from 0. */
  readonly step: number;
  /** Why no request is made before `notBeforeMs`; absent while a worker is at it. */
  readonly waitsFor?: WaitCause;

  readonly walk: Walk;
  /** The first pages of which nothing was stored: read again, or to see whether the list had changed. */
  readonly dropped?: readonly DroppedPage[];
  /** Present after the end of the list; from then on `walk`, `parts` and `end` do not change. */
  readonly end?: ListEnd;
  /** After the end of a list of several parts, or with repeated ids. */
  readonly repeats?: RepeatsSoFar;
  readonly parts: PartsSoFar;
  readonly counters: ExportCounters;
  readonly inRow: InRow;
  /** Present when the API answered with a failure of its own: its address is right. */
  readonly wasAnswered?: true;
  /** When the latest request was sent, so that the next step also keeps `requestsPerSecond`. */
  readonly lastRequestAtMs: number;
  /** As many requests at the same time were good in the latest step; absent when it got no page. */
  readonly pagesAtOnce?: number;
  /** The organization of all pages so far (`Organization.id`); absent before the first page. */
  readonly organizationId?: string;
  /** VersionIds of the secret whose keys were used, in order of first use. */
  readonly keyVersions: readonly string[];
  /** The `meta` blocks of the first page and of the last page that counts, as received. */
  readonly firstMetaText?: string;
  readonly lastMetaText?: string;
  readonly firstTotal?: number;
  /** The members that hold a record's id: more than one when the setting changed during the export. */
  readonly idKeys: readonly string[];
  /** Evidence that was ignored, with the reason; absent when there was none. */
  readonly warnings?: readonly ListWarning[];

  readonly reason?: ExportReason;
  /** The key version that a halted export must not use; absent when there was no key. */
  readonly haltedKeyVersion?: string;
  readonly completeness?: Completeness;
  /** Present when it was cancelled. */
  readonly cancellation?: Cancellation;
  /** Events that are not published yet, oldest first. */
  readonly unannounced: readonly (EndKind | LongWait)[];
}

type ExportStatus = 'running' | 'completed' | 'failed' | 'halted' | 'cancelled';

/**
 * Why a step waits.
 *
 * - `throttled`: the API asked for it.
 * - `paced`: the rate that is set or learned.
 * - `cut-off`: time was up before an answer came, which may have asked for a wait.
 * - Any other: the latest request failed in this way.
 */
export type WaitCause = 'throttled' | 'paced' | 'cut-off' | UnavailableReason;

/** What must not change during an export: which records a page number means, and of what form its parts are. */
interface ExportPlan {
  readonly resource: string;
  /** `per_page` of every request; absent: the API's default. */
  readonly perPage?: number;
  readonly firstPage: number;
  /** Parameters of each request besides `page` and `per_page`. */
  readonly query: Readonly<Record<string, string>>;
  readonly compression: Compression;
}

/** How far the records that came before already are counted and left out, see `settleRepeats`. */
export interface RepeatsSoFar extends Repeats {
  /** Rounds over the indexes that are done. */
  readonly rounds: number;
  /** Parts with repeated ids that were read, first part first. */
  readonly readParts?: number;
  /** Parts with repeated ids that were looked through for older rows. */
  readonly rewrittenParts?: number;
  /** Records with the id of an earlier one and other text. */
  readonly conflicts?: number;
  /** Records whose two places show that the list moves by something that the walk does not follow. */
  readonly moved?: number;
  /** Records that were left out, since a newer one with the same id is there. */
  readonly removed?: number;
  /** Version of the stored object with what was found so far; absent when nothing goes on. */
  readonly found?: string;
  /** Nothing is left to do. */
  readonly isSettled?: boolean;
}

/** How a page was asked for of which nothing is stored. */
export type DroppedPage = Pick<PageAsk, 'page' | 'perPage'>;

interface ListEnd {
  readonly atMs: number;
  readonly rules: readonly EndRule[];
  readonly contradictions: readonly string[];
  /** The sign that said on every page that more follow, and was not believed. */
  readonly outweighed?: EndRule;
  /** Absent: of a version that proved nothing. */
  readonly proof?: WalkProof;
}

/** Why a piece of evidence was ignored: `metaKeys` is wrong, or the API contradicts itself. */
export interface ListWarning {
  /** A sentence that names the member; no data of a customer. */
  readonly message: string;
  readonly pages: number;
}

/** The stored parts that count: a chain of records, from the newest to the first. */
interface PartsSoFar {
  readonly count: number;
  /** Token of the newest part's record; absent before the first part. */
  readonly lastToken?: string;
  readonly storedBytes: number;
}

/**
 * The ledger item of one stored part (`part#<exportId>#<number>#<token>`). It counts only when it is in the
 * chain that begins at `ExportState.parts`. Records of a crashed or overtaken worker are in no chain.
 */
export interface PartRecord {
  readonly connection: string;
  readonly exportId: string;
  /** From 1. */
  readonly number: number;
  /** Unique per claim: the first 8 hex digits of the lease owner. */
  readonly token: string;
  readonly previousToken?: string;
  readonly key: string;
  readonly firstPage: number;
  readonly pages: number;
  readonly records: number;
  /** Bytes before compression. */
  readonly bytes: number;
  readonly storedBytes: number;
  /** SHA-256 of the stored bytes, hex. */
  readonly sha256: string;
  /** Of the stored object: what the store answered when it had checked `sha256`. */
  readonly version: string;
  /** Records that each page shared with those before it; absent where none did. */
  readonly overlaps?: readonly number[];
  /** Records without an id under `idKey`. */
  readonly withoutId: number;
  /** Within this part. */
  readonly repeats: Repeats;
  /** The stored index of its records; absent when it is the only part of its list. */
  readonly index?: { readonly bytes: number; readonly version: string };
  readonly deleteAfterMs: number;
}

/** Requests, throttles and waits as of the latest commit: a crash loses later ones. */
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

/** Counts that grow while there is no progress; the next page sets them to 0. */
interface InRow {
  readonly failures: number;
  /** Throttles without a stated wait. */
  readonly blindThrottles: number;
  /** Steps without a page, and claims of workers that crashed. */
  readonly stepsWithoutPage: number;
}

export interface ExportReason {
  readonly code: ReasonCode;
  /** What happened, what was expected and what to do. */
  readonly message: string;
  readonly status?: number;
  readonly apiCode?: string;
  readonly requestId?: string;
  /** When the next request is allowed. */
  readonly resumeAtMs?: number;
}

/** A person ended the export. */
export interface Cancellation {
  readonly atMs: number;
  /** Such as the ARN of the caller; 1 to 2,048 characters. */
  readonly by: string;
  /** 1 to 1,024 characters. */
  readonly reason: string;
  /** What becomes of what is stored of it. */
  readonly parts: 'keep' | 'remove';
  /** When its parts had been removed. */
  readonly removedAtMs?: number;
}

export type ReasonCode =
  | 'authentication-failure'
  | 'key-missing'
  | 'key-malformed'
  | 'key-in-use'
  | 'wait-too-long'
  /** No connection, and there never was one: the address is most likely wrong. */
  | 'unreachable'
  | 'unavailable'
  | 'refused'
  | 'not-advancing'
  | 'contradiction'
  | 'part-lost'
  | 'too-many-pages'
  | 'no-progress'
  | 'waited-too-long'
  | 'deadline'
  | 'organization-changed'
  | 'cancelled'
  /** Its list was taken out of the settings before all pages were there. */
  | 'list-removed'
  /** The ledger does not take the state. */
  | 'unstorable';

export interface Completeness {
  readonly verdict: 'complete' | 'drifted' | 'unproven';
  readonly reasons: readonly string[];
}

export type EndKind = 'completed' | 'failed' | 'halted' | 'cancelled';

export type ExportEventKind = EndKind | LongWait['kind'];

/** A wait longer than `longWaitSeconds`, with the facts when it began: the event may be published later. */
export interface LongWait {
  readonly kind: 'throttled-long';
  readonly step: number;
  readonly atMs: number;
  readonly untilMs: number;
  readonly pages: number;
  readonly customers: number;
}

/** The position of an export in its connection's history, which is ordered by start. */
export interface HistoryPlace {
  readonly startedAtMs: number;
  readonly exportId: string;
}
