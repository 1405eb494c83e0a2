import type { Page } from '../customers-api/outcome.ts';
import type { PageAsk } from '../customers-api/walks/taken.ts';
import {
  amid,
  MADE_AT_MOST,
  type OrganizationSample,
  SAMPLED_LIST,
  sampleOf,
  successor,
  tells,
} from '../gate/organization-sample.ts';
import type { PageRequest } from '../gate/ports.ts';

interface Candidate {
  readonly sample: OrganizationSample;
  /** Records of the list that are known in front of the page, as it is read. */
  readonly before: number;
  /** Records that were {@link StepSample.#seen} with it. */
  readonly seen: number;
}

/** So far amid a list a page is deep enough also where an API makes more records than are expected. */
const DEEP = 3 * MADE_AT_MOST;
/** The texts of a page's records are made when they are asked for: of so many pages of a step at most. */
const MOST_PAGES = 20;

/**
 * The sample of the organization that a step takes, if the list shows whose it is: of a page amid the list, whichever end
 * was read first. What an API makes for each new organization stands at the ends.
 */
export class StepSample {
  readonly #request: Omit<PageRequest, 'page'>;
  readonly #candidates: Candidate[] = [];
  #kept: OrganizationSample | undefined;
  /** Each record once, by what its id is hashed to: edited or not, one that comes again is no other one. */
  readonly #seen = new Set<number>();
  #leastTotal = 0;
  #isDone: boolean;

  /**
   * @param request What the requests of the step have in common.
   * @param kept The sample in the gate.
   */
  constructor(request: Omit<PageRequest, 'page'>, kept: OrganizationSample | undefined) {
    this.#request = request;
    this.#kept = kept;
    this.#isDone = request.list !== SAMPLED_LIST;
  }

  /**
   * @param before Records of the list that are known in front of the page, see `rowsBefore`. `undefined`: rows that were
   * read before are read again, and show nothing of the place of any other.
   * @param again Records at the head of the page that may have been read before.
   */
  take(
    answered: Page,
    ask: PageAsk | undefined,
    { before, again = 0 }: { readonly before: number | undefined; readonly again?: number },
    nowMs: number,
  ): void {
    if (this.#isDone || before === undefined) return;
    this.#leastTotal = Math.max(this.#leastTotal, before + answered.recordCount);
    const { recordHashes } = answered;
    for (let at = 2 * again; at < recordHashes.length; at += 2) {
      // 53 of the 64 bits.
      this.#seen.add((recordHashes[at + 1] ?? 0) * 0x20_0000 + ((recordHashes[at] ?? 0) >>> 11));
    }
    if (this.#candidates.length < MOST_PAGES) {
      const request = { ...this.#request, ...ask, page: answered.page };
      const sample = sampleOf(request, answered, nowMs);
      this.#candidates.push({ sample, before, seen: this.#seen.size });
    }
    this.#isDone = this.#candidates.some((each) => this.#depthOf(each) >= DEEP);
  }

  /** Stores it in the gate, unless it is there. @throws What `keep` throws: the next call tries again. */
  async handOver(keep: (sample: OrganizationSample) => Promise<void>): Promise<void> {
    if (this.#candidates.length === 0) return;
    const sample = successor(this.#best(), this.#kept);
    if (sample === undefined || isEqual(sample, this.#kept)) return;
    await keep(sample);
    this.#kept = sample;
  }

  #best(): OrganizationSample | undefined {
    return this.#candidates
      .toSorted((a, b) => this.#depthOf(b) - this.#depthOf(a))
      .map((each) => amid(this.#withTotal(each), this.#depthOf(each)))
      .find(tells);
  }

  /** A total that is less than what came is not that of the list. */
  #withTotal({ sample: { total, ...sample } }: Candidate): OrganizationSample {
    return total !== undefined && total >= this.#leastTotal ? { ...sample, total } : sample;
  }

  /** So many records at least are known on either side of the page. */
  #depthOf({ before, seen }: Candidate): number {
    return Math.min(before, this.#seen.size - seen);
  }
}

function isEqual(a: OrganizationSample, b: OrganizationSample | undefined): boolean {
  return a.page === b?.page && a.atMs === b.atMs && a.least === b.least;
}
