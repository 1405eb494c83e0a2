import type { ListOutcome, Page } from '../customers-api/outcome.ts';
import type { CarriedPage } from './carried-pages.ts';
import type { Answer } from './fetch-stop.ts';
import { MAX_BYTES_IN_FLIGHT } from './pages-in-flight.ts';

export interface AskedPage extends Answer {
  /** To be asked for as soon as that is allowed, in front of others that were. */
  isMissing?: boolean;
  outcome?: ListOutcome;
  notBeforeMs?: number;
  isRecorded?: boolean;
  failure?: { readonly error: unknown };
}

/** What was asked for, in the order in which it is handed out, and what came of it. */
export class AskedPages {
  readonly #line: AskedPage[];
  /** Those whose answers nobody waits for any more; what they say of waits and the key still counts. */
  readonly #dropped = new Set<AskedPage>();

  /** @param carried What came before the first ask. */
  constructor(carried: readonly CarriedPage[]) {
    this.#line = carried.map((page) =>
      page === undefined ? { isMissing: true } : { outcome: page, isRecorded: true },
    );
  }

  get head(): AskedPage | undefined {
    return this.#line[0];
  }

  /** With those that were dropped. */
  get all(): readonly AskedPage[] {
    return [...this.#line, ...this.#dropped];
  }

  /** A rejection of the key in answer to an ask that was dropped. */
  get droppedRejection(): ListOutcome | undefined {
    return [...this.#dropped].find(isRejected)?.outcome;
  }

  /** What the pages take that wait for those before them. */
  get heldBytes(): number {
    return this.#line.reduce((sum, { outcome }) => sum + memoryOf(outcome), 0);
  }

  /** Where the next page to be asked for stands: nothing is asked for behind what is no page. */
  get nextPlace(): number | undefined {
    const place = this.#line.findIndex((each) => each.isMissing === true || isNoPage(each));
    if (place < 0) return this.#line.length;
    return this.#line[place]?.isMissing === true ? place : undefined;
  }

  /** The pages that came, up to the last one, in their places. */
  pages(): readonly CarriedPage[] {
    const pages = this.#line.map(({ outcome }) => (outcome?.kind === 'page' ? outcome : undefined));
    return pages.slice(0, pages.findLastIndex((page) => page !== undefined) + 1);
  }

  ask(place: number): AskedPage {
    const entry: AskedPage = {};
    this.#line[place] = entry;
    return entry;
  }

  takeHead(): void {
    this.#line.shift();
  }

  dropAll(): void {
    for (const entry of this.#line.splice(0)) this.#drop(entry);
  }

  /** Behind a page that is asked for now comes the page that was handed out last. */
  putInFront(held: Page): void {
    this.#line.unshift({ isMissing: true }, { outcome: held, isRecorded: true });
  }

  /** Behind a page that is asked for first: what is no page now is asked for again when its turn comes. */
  missNoPages(): void {
    this.#line.forEach((entry, index) => {
      if (isNoPage(entry) && isSettled(entry)) this.#line[index] = { isMissing: true };
    });
  }

  /** Its answer is recorded in the gate: it is handed out, unless it was dropped. */
  settle(entry: AskedPage): void {
    entry.isRecorded = true;
    if (this.#dropped.has(entry)) this.#drop(entry);
    else this.#keepWithinMemory();
  }

  /** Pages may be larger than all before. The last ones are given up first, and asked for again when there is room. */
  #keepWithinMemory(): void {
    let held = this.heldBytes;
    for (let place = this.#line.length - 1; place > 0 && held > MAX_BYTES_IN_FLIGHT; place--) {
      const outcome = this.#line[place]?.outcome;
      if (outcome?.kind !== 'page') continue;
      held -= memoryOf(outcome);
      outcome.release?.();
      this.#line[place] = { isMissing: true };
    }
  }

  /** Until it is answered, and a rejection of the key for good. */
  #drop(entry: AskedPage): void {
    if (!isSettled(entry) || isRejected(entry)) {
      this.#dropped.add(entry);
      return;
    }
    this.#dropped.delete(entry);
    if (entry.outcome?.kind === 'page') entry.outcome.release?.();
  }
}

/** Nothing of it is under way. */
export function isSettled({ isMissing, isRecorded }: AskedPage): boolean {
  return isMissing === true || isRecorded === true;
}

/** Of a page, with what was around its records in the body. */
export function memoryOf(outcome: ListOutcome | undefined): number {
  return outcome?.kind === 'page' ? outcome.ndjson.buffer.byteLength : 0;
}

function isNoPage({ outcome }: AskedPage): boolean {
  return outcome !== undefined && outcome.kind !== 'page';
}

function isRejected({ outcome }: AskedPage): boolean {
  return outcome?.kind === 'authentication-failure';
}
