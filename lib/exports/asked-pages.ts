import type { ListOutcome, Page } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import {
  type AskedPage,
  carriedOf,
  isDoubtful,
  isNoPage,
  isRejected,
  isSettled,
  lineOf,
  memoryOf,
  type Stretch,
} from './asked-page.ts';
import type { CarriedPage } from './carried-pages.ts';
import { MAX_BYTES_IN_FLIGHT } from './pages-in-flight.ts';

/** What was asked for, in the order in which it is handed out, and what came of it. */
export class AskedPages {
  readonly #line: AskedPage[];
  /** Those whose answers nobody waits for any more; what they say of waits and the key still counts. */
  readonly #dropped = new Set<AskedPage>();

  /** See {@link lineOf}. */
  constructor(carried: readonly CarriedPage[], isDoubted: boolean) {
    this.#line = lineOf(carried, isDoubted);
  }

  get head(): AskedPage | undefined {
    return this.#line[0];
  }

  /** The page in front, if it may be handed out. */
  get headPage(): Page | undefined {
    const { head } = this;
    return head?.outcome?.kind === 'page' && !isDoubtful(head) ? head.outcome : undefined;
  }

  /** What the pages end with once all is answered. A refusal is the answer to its own page, so only in front. */
  get stopping(): ListOutcome | undefined {
    const { head } = this;
    const stopping =
      head !== undefined && isDoubtful(head)
        ? this.#line.find((each) => isNoPage(each) && each.outcome?.kind !== 'refused')
        : head;
    return stopping?.outcome ?? this.droppedRejection;
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
    return this.#line.reduce(
      (sum, { outcome, endOf }) => sum + memoryOf(outcome) + memoryOf(endOf?.page),
      0,
    );
  }

  /** Where the next page to be asked for stands: nothing is asked for behind what is no page. */
  get nextPlace(): number | undefined {
    const place = this.#line.findIndex((each) => each.isMissing === true || isNoPage(each));
    if (place < 0) return this.#line.length;
    return this.#line[place]?.isMissing === true ? place : undefined;
  }

  /** What came, and what was carried and is not known to have moved. */
  rest(): readonly CarriedPage[] {
    return carriedOf(this.#line);
  }

  ask(place: number): AskedPage {
    const { endOf, isLinked } = this.#line[place] ?? {};
    const entry: AskedPage = defined({ endOf, isLinked });
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
    this.#line.forEach((entry, place) => {
      if (isNoPage(entry) && isSettled(entry)) this.#miss(place);
    });
  }

  /** An end is not to be asked for any more. @returns Whether the page in front waited for one. */
  missDoubtful(): boolean {
    const { head } = this;
    if (head?.inside === undefined || !isDoubtful(head)) return false;
    this.#giveUp(head.inside);
    return true;
  }

  /** Its answer is recorded in the gate: it is handed out, unless it was dropped. */
  settle(entry: AskedPage): void {
    entry.isRecorded = true;
    this.#compare(entry);
    if (this.#dropped.has(entry)) this.#drop(entry);
    else this.#keepWithinMemory();
  }

  #compare(entry: AskedPage): void {
    const { endOf, outcome } = entry;
    if (endOf === undefined || (outcome?.kind !== 'page' && outcome?.kind !== 'refused')) return;
    const { stretch, page } = endOf;
    if (outcome.kind === 'refused' || outcome.fingerprint !== page.fingerprint) {
      this.#giveUp(stretch);
      return;
    }
    stretch.endsToCome--;
    entry.isAsBefore = true;
    forget(entry);
  }

  /** What is asked for in its place is newer than all behind it: that is asked for again, too. */
  #giveUp(stretch: Stretch): void {
    const first = this.#line.findIndex(({ inside }) => inside === stretch);
    for (const entry of first < 0 ? [] : this.#line.splice(first)) this.#drop(entry);
    for (const entry of this.#line) if (entry.endOf?.stretch === stretch) forget(entry);
  }

  #miss(place: number): void {
    const { outcome, endOf, isLinked } = this.#line[place] ?? {};
    if (outcome?.kind === 'page') outcome.release?.();
    this.#line[place] = { isMissing: true, ...defined({ endOf, isLinked }) };
  }

  /** Pages may be larger than all before. The last ones are given up first, and asked for again when there is room. */
  #keepWithinMemory(): void {
    for (let place = this.#line.length - 1; place > 0; place--) {
      if (this.heldBytes <= MAX_BYTES_IN_FLIGHT) return;
      const { outcome, inside, endOf } = this.#line[place] ?? {};
      const stretch = inside ?? endOf?.stretch;
      if (stretch !== undefined) this.#giveUp(stretch);
      else if (outcome?.kind === 'page') this.#miss(place);
    }
  }

  /** Until it is answered, and a rejection of the key for good. */
  #drop(entry: AskedPage): void {
    forget(entry);
    if (!isSettled(entry) || isRejected(entry)) {
      this.#dropped.add(entry);
      return;
    }
    this.#dropped.delete(entry);
    if (entry.outcome?.kind === 'page') entry.outcome.release?.();
  }
}

/** What came before at its place is of no use any more. */
function forget(entry: AskedPage): void {
  entry.endOf?.page.release?.();
  delete entry.endOf;
}
