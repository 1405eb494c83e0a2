import type { Page } from '../customers-api/outcome.ts';
import type { PageAsk } from '../customers-api/walks/taken.ts';
import { defined } from '../defined.ts';
import { type OrganizationSample, SAMPLED_LIST, sampleOf } from '../gate/organization.ts';
import type { PageRequest } from '../gate/ports.ts';

export type KeepSample = (sample: OrganizationSample) => Promise<void>;

/** The sample of the organization that a step takes: of its first page with records, if the list shows whose it is. */
export class StepSample {
  readonly #request: Omit<PageRequest, 'page'>;
  #sample: OrganizationSample | undefined;
  #isTaken: boolean;

  /** @param request What the requests of the step have in common. */
  constructor(request: Omit<PageRequest, 'page'>) {
    this.#request = request;
    this.#isTaken = request.list !== SAMPLED_LIST;
  }

  take(answered: Page, ask: PageAsk | undefined, nowMs: number): void {
    if (this.#isTaken) return;
    const { resource, query, perPage } = { ...this.#request, ...ask };
    // The texts of a page's records are made when they are asked for: of one page of a step.
    const { page, records } = answered;
    this.#sample = sampleOf({ resource, query, page, ...defined({ perPage }) }, records, nowMs);
    this.#isTaken = this.#sample !== undefined;
  }

  /** Stores it in the gate once. @throws What `keep` throws: the next call tries again. */
  async handOver(keep: KeepSample): Promise<void> {
    if (this.#sample === undefined) return;
    await keep(this.#sample);
    this.#sample = undefined;
  }
}
