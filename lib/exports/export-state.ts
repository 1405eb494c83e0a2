import * as v from 'valibot';
import { EndRuleSchema } from '../customers-api/walks/list-walk-schema.ts';
import { WalkProofSchema, WalkSchema } from '../customers-api/walks/walk-schema.ts';
import { SampleSchema } from '../gate/organization-sample.ts';
import { recordOf } from '../record-of.ts';
import { reasonEntries, stepEntries } from '../steps/step-item.ts';
import { count, maybe, type Stored, text, timeMs } from '../stored.ts';
import { COMPRESSIONS } from './compression.ts';
import { RepeatsSchema } from './part-record.ts';

/** Why a step waits. */
export type WaitCause = Stored<typeof waitCause>;

const waitCause = v.picklist([
  /** The API asked for it. */
  'throttled',
  /** The rate that is set or learned. */
  'paced',
  /** Time was up before an answer came, which may have asked for a wait. */
  'cut-off',
  /** A call of AWS failed in the middle of a step. */
  'failed-call',
  // The latest request failed in this way, see `UnavailableReason`. A stray answer counts as `server-error`.
  'network',
  'unreachable',
  'timeout',
  'aborted',
  'server-error',
  'cut',
]);

/** What must not change during an export: which records a page number means, and of what form its parts are. */
const plan = v.object({
  resource: text,
  /** `per_page` of every request; absent: the API's default. */
  perPage: maybe(count),
  firstPage: count,
  /** Parameters of each request besides `page` and `per_page`. */
  query: recordOf(text, text),
  /** `false`: the member with the records is found by rule. Absent in exports that an older version began. */
  itemsKey: maybe(v.union([text, v.literal(false)])),
  compression: v.picklist(COMPRESSIONS),
});

/** How far the records that came before already are counted and left out, see `settleRepeats`. */
export type RepeatsSoFar = Stored<typeof repeatsSoFar>;

const repeatsSoFar = v.object({
  ...RepeatsSchema.entries,
  /** Rounds over the indexes that are done. */
  rounds: count,
  /** Parts with repeated ids that were read, first part first. */
  readParts: maybe(count),
  /** Parts with repeated ids that were looked through for older rows. */
  rewrittenParts: maybe(count),
  /** Records with the id of an earlier one and other text. */
  conflicts: maybe(count),
  /** Records whose two places show that the list moves by something that the walk does not follow. */
  moved: maybe(count),
  /** Records that were left out, since a newer one with the same id is there. */
  removed: maybe(count),
  /** Version of the stored object with what was found so far; absent when nothing goes on. */
  found: maybe(text),
  isSettled: maybe(v.boolean()),
});

/** The search for the sample of the organization, see `takeSample`: some KB at most. */
export type SampleSoFar = Stored<typeof sampleSoFar>;

const sampleSoFar = v.object({
  /** The latest one that lies deep in the list. */
  found: maybe(SampleSchema),
  /** Absent while that is new. */
  search: maybe(
    v.object({
      /** Rows of the list in front of the first page that it has read. */
      from: count,
      /** The list has so many records at least. */
      leastTotal: count,
      /** Different records that it has read, and bits that stand for their ids, in base64. */
      seen: count,
      marks: text,
      /** Pages that may become the sample, in the order in which they were read. */
      candidates: v.array(
        v.object({
          sample: v.omit(SampleSchema, ['resource', 'query']),
          /** So many records can be known on either side of the page at most. */
          most: count,
          /** Different records that it had read with it. */
          seen: count,
        }),
      ),
    }),
  ),
});

/** How a page was asked for of which nothing is stored. */
export type DroppedPage = Stored<typeof droppedPage>;

const droppedPage = v.object({ page: count, perPage: maybe(count) });

const listEnd = v.object({
  atMs: timeMs,
  rules: v.array(EndRuleSchema),
  contradictions: v.array(text),
  /** The sign that said on every page that more follow, and was not believed. */
  outweighed: maybe(EndRuleSchema),
  proof: WalkProofSchema,
});

/** Why a piece of evidence was ignored: `metaKeys` is wrong, or the API contradicts itself. */
export type ListWarning = Stored<typeof listWarning>;

const listWarning = v.object({
  /** A sentence that names the member; no data of a customer. */
  message: text,
  pages: count,
});

/** The stored parts that count: a chain of records, from the newest to the first. */
const partsSoFar = v.object({
  count,
  /** Token of the newest part's record; absent before the first part. */
  lastToken: maybe(text),
  storedBytes: count,
});

/** Requests, throttles and waits as of the latest commit: a crash loses later ones. */
export type ExportCounters = Stored<typeof counters>;

const counters = v.object({
  pages: count,
  customers: count,
  /** Bytes of the records before compression. */
  bytes: count,
  requests: count,
  throttles: count,
  /** Sum of the waits that the API asked for. */
  waitedSeconds: count,
});

/** Counts that grow while there is no progress; the next page sets them to 0. */
const inRow = v.object({
  failures: count,
  /** Throttles without a stated wait. */
  blindThrottles: count,
  /** Steps without a page, and those that broke off. */
  stepsWithoutPage: count,
  /** Steps that broke off: the worker crashed, or a call of AWS failed. Absent for 0. */
  brokenSteps: maybe(count),
});

/** After a page, and at the start. */
export const NOTHING_IN_ROW: Stored<typeof inRow> = {
  failures: 0,
  blindThrottles: 0,
  stepsWithoutPage: 0,
};

export type ExportReason = Stored<typeof reason>;

const reason = v.object({
  code: v.picklist([
    'authentication-failure',
    'key-missing',
    'key-malformed',
    'key-in-use',
    'wait-too-long',
    /** No connection, and there never was one: the address is most likely wrong. */
    'unreachable',
    'unavailable',
    'refused',
    'not-advancing',
    'contradiction',
    'part-lost',
    'too-many-pages',
    'no-progress',
    'waited-too-long',
    'deadline',
    'organization-changed',
    'cancelled',
    /** Its list was taken out of the settings before all pages were there. */
    'list-removed',
    /** An earlier export of its id was completed, and its files are in the bucket. */
    'id-used',
    /** The ledger does not take the state. */
    'unstorable',
  ]),
  ...reasonEntries,
  /** When the next request is allowed. */
  resumeAtMs: maybe(timeMs),
});

/** A person ended the export. */
export type Cancellation = Stored<typeof cancellation>;

const cancellation = v.object({
  atMs: timeMs,
  /** Such as the ARN of the caller; 1 to 2,048 characters. */
  by: text,
  /** 1 to 1,024 characters. */
  reason: text,
  parts: v.picklist(['keep', 'remove']),
  removedAtMs: maybe(timeMs),
});

export type Completeness = Stored<typeof completeness>;

const completeness = v.object({
  verdict: v.picklist(['complete', 'drifted', 'unproven']),
  reasons: v.array(text),
});

export type EndKind = Stored<typeof endKind>;

const endKind = v.picklist(['completed', 'failed', 'cancelled']);

export type ExportEventKind = EndKind | Interruption['kind'];

/**
 * A wait longer than `longWaitSeconds`, or a halt, with the facts when it began: the export may have gone on, or be over,
 * when its event is published.
 */
export type Interruption = Stored<typeof interruption>;

const interruption = v.object({
  kind: v.picklist(['throttled-long', 'halted']),
  step: count,
  atMs: timeMs,
  pages: count,
  customers: count,
  untilMs: maybe(timeMs),
  reasonCode: maybe(text),
  reasonMessage: maybe(text),
});

/**
 * The ledger item of one export (`export#<id>`): plain JSON, a few KB at most, since parts are separate items.
 * All times are milliseconds since the epoch.
 */
export type ExportState = Stored<typeof ExportStateSchema>;

export const ExportStateSchema = v.object({
  ...stepEntries,
  v: v.literal(2),
  connection: text,
  list: text,
  exportId: text,
  status: v.picklist(['running', 'halted', ...endKind.options]),
  plan,
  startedAtMs: timeMs,
  /** An export that runs longer fails. */
  deadlineAtMs: timeMs,
  /** When the export and its parts expire (DynamoDB time to live). */
  deleteAfterMs: timeMs,
  /** The step of the next wake-up, from 0. */
  step: count,
  /** Present when the sweep woke it and no worker has claimed it since. */
  isWoken: maybe(v.literal(true)),
  /** Why no request is made before `notBeforeMs`; absent while a worker is at it. */
  waitsFor: maybe(waitCause),
  /** Whether the gate could not be told of that wait, see `handOn`. */
  isWaitUntold: maybe(v.literal(true)),
  walk: WalkSchema,
  /** The first pages of which nothing was stored: read again, or to see whether the list had changed. */
  dropped: maybe(v.array(droppedPage)),
  /** Present after the end of the list; from then on `walk`, `parts` and `end` do not change. */
  end: maybe(listEnd),
  /**
   * Present when the other lists no longer wait for what is left after the end of the list, since a worker has failed at
   * it. The sweep finds it without the line from then on.
   */
  leavesLine: maybe(v.literal(true)),
  /** After the end of a list of several parts, or with repeated ids. */
  repeats: maybe(repeatsSoFar),
  parts: partsSoFar,
  counters,
  inRow,
  /** Present when the API answered with a failure of its own: its address is right. */
  wasAnswered: maybe(v.literal(true)),
  /** When the latest request was sent, so that the next step also keeps `requestsPerSecond`. */
  lastRequestAtMs: timeMs,
  /** As many requests at the same time were good in the latest step; absent when it got no page. */
  pagesAtOnce: maybe(count),
  /** Absent before the first page, and once the export is over. */
  sample: maybe(sampleSoFar),
  /** The organization of all pages so far (`Organization.id`); absent before the first page. */
  organizationId: maybe(text),
  /** VersionIds of the secret whose keys were used, in order of first use. */
  keyVersions: v.array(text),
  /** The `meta` blocks of the first page and of the last page that counts, as received. */
  firstMetaText: maybe(text),
  lastMetaText: maybe(text),
  firstTotal: maybe(v.number()),
  /** Evidence that was ignored, with the reason; absent when there was none. */
  warnings: maybe(v.array(listWarning)),
  reason: maybe(reason),
  completeness: maybe(completeness),
  cancellation: maybe(cancellation),
  /** Events that are not published yet, oldest first. */
  unannounced: v.array(v.union([endKind, interruption])),
});

/** An export whose list has ended: no page comes any more. */
export type EndedExport = ExportState & Required<Pick<ExportState, 'end'>>;

export function hasEnded(state: ExportState): state is EndedExport {
  return state.end !== undefined;
}

/** The position of an export in its connection's history, which is ordered by start. */
export interface HistoryPlace {
  readonly startedAtMs: number;
  readonly exportId: string;
}
