import type { EvidenceName } from '../customers-api/list-evidence.ts';
import type { AnswerFacts, ListOutcome, Page } from '../customers-api/outcome.ts';
import type { EvidencePlace } from '../customers-api/read-evidence.ts';
import type { HeadFacts } from './head-facts.ts';

/** What a read is for, in the order in which the reads are made. */
export type Purpose =
  | 'first-answer'
  | 'without-per-page'
  | 'page-zero'
  | 'smaller-pages'
  | 'second-page'
  | 'past-the-end'
  | 'last-page'
  | 'odd-size'
  | 'larger-pages'
  | 'usual-limit';

export interface DoctorRead {
  readonly purpose: Purpose;
  readonly page: number;
  /** Absent: not sent. */
  readonly perPage?: number;
  /** Where the records are, once that is known not to be found by rule. */
  readonly itemsKey?: string;
}

export interface Envelope {
  /** Where the records are: member names joined by dots; empty where the body itself is the list. */
  readonly itemsPath: string;
  /** `false`: `itemsKey` has to name it. */
  readonly isFoundByRule: boolean;
  /** Other arrays of objects that could have been meant, where no rule decides. */
  readonly otherLists: readonly string[];
  /** Of the whole body, after decompression. */
  readonly bytes: number;
  readonly places: ReadonlyMap<EvidenceName, readonly EvidencePlace[]>;
  /** Whole numbers around the records, by their paths. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Paths of texts that are nothing but digits: they are never read as counts. */
  readonly digitTexts: readonly string[];
  /** Names of the parameters in links to the next page. */
  readonly linkParameters: readonly string[];
}

export interface SeenPage {
  readonly kind: 'page';
  readonly page: Page;
  readonly envelope: Envelope;
}

export interface SeenRead {
  readonly asked: DoctorRead;
  readonly outcome: SeenPage | Exclude<ListOutcome, Page>;
  /** Absent where no answer came. */
  readonly head?: HeadFacts;
  /** From the request to the end of the answer. */
  readonly elapsedMs: number;
}

/** What an answer says beside its records. */
export function factsOf({ outcome }: SeenRead): AnswerFacts {
  return outcome.kind === 'page' ? outcome.page : outcome;
}
