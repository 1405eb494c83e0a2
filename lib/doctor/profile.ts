import type { ListOutcome, Page } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { type Decision, type Ending, waitedSeconds } from './decide.ts';
import { type FirstPage, firstPageOf } from './first-page.ts';
import { type IdMember, idMemberOf } from './id-member.ts';
import { limitsOf, type SeenLimits } from './limits.ts';
import { ignoresPage, type ListEnd, listEndOf } from './list-end.ts';
import { listOrderOf, type SeenOrder } from './list-order.ts';
import { type MetaFindings, metaFindingsOf } from './meta-names.ts';
import { firstPageSoFar } from './next-read.ts';
import { type PageSizes, pageSizesOf } from './page-sizes.ts';
import { ReadHistory } from './read-history.ts';
import type { SeenRead } from './seen-read.ts';

/** An answer that was no page. */
type SeenProblem = Exclude<ListOutcome, Page>;

/** What an examination showed of an API. It holds names and numbers, and nothing of any record. */
export interface Profile {
  readonly ending: Ending;
  /** With `wait-too-long`. */
  readonly waitSeconds?: number;
  /** The last answer, if it was no page: of an examination that ended early its reason. */
  readonly problem?: SeenProblem;
  readonly requests: number;
  readonly waitedSeconds: number;
  readonly limits: SeenLimits;
  /** How far the API's clock is ahead of ours. */
  readonly clockAheadSeconds?: number;
  /** Absent where no page came. */
  readonly list?: ListProfile;
}

export interface ListProfile {
  readonly items: {
    /** Empty where the body itself is the list. */
    readonly path: string;
    readonly isFoundByRule: boolean;
    /** Other arrays that could have been meant. */
    readonly others: readonly string[];
  };
  readonly meta: MetaFindings;
  /** Paths of counts that are text, and are not read. */
  readonly digitTexts: readonly string[];
  /** Parameters of its links to the next page. */
  readonly linkParameters: readonly string[];
  /** Absent where it could not be learned; then `askedFrom` is what was asked for first. */
  readonly firstPage?: FirstPage;
  readonly askedFrom: number;
  /** Whether each page has the records of the first one. */
  readonly ignoresPage: boolean;
  readonly end?: ListEnd;
  readonly sizes?: PageSizes;
  readonly order: SeenOrder;
  readonly id: IdMember;
  /** Of the first page as it was asked for first. */
  readonly cost: {
    readonly records: number;
    readonly bytes: number;
    readonly elapsedMs: number;
  };
  /** Records of the whole list: as counted, else as the answers say. */
  readonly records?: number;
}

/** @param decision The last one. */
export function profileOf(
  reads: readonly SeenRead[],
  { ending, waitSeconds }: Extract<Decision, { kind: 'end' }>,
): Profile {
  const history = new ReadHistory(reads);
  const last = reads.at(-1)?.outcome;
  const ahead = reads.flatMap(({ head }) => head?.clockAheadSeconds ?? []);
  return {
    ending,
    requests: reads.length,
    waitedSeconds: waitedSeconds(reads),
    limits: limitsOf(reads),
    ...defined({
      waitSeconds,
      problem: last === undefined || last.kind === 'page' ? undefined : last,
      clockAheadSeconds: ahead.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0],
      list: listProfileOf(history),
    }),
  };
}

function listProfileOf(history: ReadHistory): ListProfile | undefined {
  const { base } = history;
  if (base === undefined) return undefined;
  const askedFrom = firstPageSoFar(history);
  const end = listEndOf(history, askedFrom);
  const id = idMemberOf(history);
  const first = history.pages.find(({ read }) => read.asked.page === askedFrom) ?? base;
  const { envelope, page } = first.seen;
  const { total } = page.evidence;
  const meta = metaFindingsOf(history, askedFrom);
  const isTotalBelieved = meta.metaKeys.total === undefined;
  return {
    items: {
      path: envelope.itemsPath,
      isFoundByRule: envelope.isFoundByRule,
      // Reads behind the first one were told which list is meant.
      others: base.seen.envelope.otherLists,
    },
    meta,
    digitTexts: envelope.digitTexts,
    linkParameters: envelope.linkParameters,
    askedFrom,
    ignoresPage: ignoresPage(history, askedFrom),
    order: listOrderOf(history, askedFrom, id.kind === 'found' ? id.member : undefined),
    id,
    cost: { records: page.recordCount, bytes: envelope.bytes, elapsedMs: first.read.elapsedMs },
    ...defined({
      firstPage: firstPageOf(history),
      end,
      sizes: pageSizesOf(history, askedFrom, end?.records),
      records: end?.records ?? (isTotalBelieved ? total : undefined),
    }),
  };
}
