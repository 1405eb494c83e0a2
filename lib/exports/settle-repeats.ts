import { compactPart, noteRows, type RepeatedRow } from './compact-parts.ts';
import {
  countRound,
  openIndexes,
  type PartIndexes,
  type RoundRepeats,
  repeatsInPart,
  roundsOf,
} from './count-repeats.ts';
import type { EndedExport, ExportState, RepeatsSoFar } from './export-state.ts';
import type { PartRecord } from './part-record.ts';
import type { ExportPorts, StoredObject } from './ports.ts';
import { type PlacedRow, RepeatedRows } from './repeated-rows.ts';
import { aboutBytes, repeatsKey } from './store-objects.ts';
import { isLeftTwice, whyLeft } from './why-left.ts';

/** All parts of a list that has ended, and what is stored. */
interface EndedParts {
  readonly state: EndedExport;
  /** As they were committed, older rows included. */
  readonly chain: readonly PartRecord[];
  readonly stored: readonly StoredObject[];
}

/** What came twice, if nothing is left to do about it: one part knows by itself that nothing did. */
export function settledRepeats(
  { repeats }: Pick<ExportState, 'repeats'>,
  [only, second]: readonly PartRecord[],
): RepeatsSoFar | undefined {
  if (repeats?.isSettled === true) return repeats;
  if (second !== undefined || (only?.repeats.ids ?? 0) > 0) return undefined;
  return { ...NOTHING_YET, ...only?.repeats };
}

/** Whether the next piece of work needs the indexes of the parts. */
export function needsIndexes(
  { repeats }: Pick<ExportState, 'repeats'>,
  chain: readonly PartRecord[],
): boolean {
  return repeats?.found === undefined || repeats.rounds < roundsOf(chain);
}

/**
 * Finds the rows whose ids came more than once and leaves the newest of each in the parts: in rounds, each with a share
 * of all possible hashes from every index; then by reading the parts that have any, first part first, to see whether
 * the ids are equal too and which row is the newest; then by storing those parts again that have older ones. Every
 * worker that does a piece of it does the same.
 *
 * `isTimeUp` is asked after each piece: one at least is done, so that every step comes further. Once the lease `isOver`
 * nothing is kept for the next step.
 *
 * @returns To be committed; `isSettled` when nothing is left to do; `undefined` without a lease.
 */
export async function settleRepeats(
  ports: RepeatsPorts,
  ended: EndedParts,
  { isTimeUp, isOver }: { readonly isTimeUp: () => boolean; readonly isOver: () => boolean },
): Promise<RepeatsSoFar | undefined> {
  const work = await begin(ports, ended);
  do await work.nextPiece();
  while (!work.soFar.isSettled && !isTimeUp());
  if (isOver()) return undefined;
  return work.soFar.isSettled ? work.soFar : keep(ports, ended, work);
}

type RepeatsPorts = Pick<ExportPorts, 'store' | 'ledger'>;

const NOTHING_YET: RepeatsSoFar = { rounds: 0, ids: 0, texts: 0 };

/** Goes on where the step before stopped, if what it found is there as it was stored. Else it all begins again. */
async function begin(ports: RepeatsPorts, ended: EndedParts): Promise<RepeatsWork> {
  const { state, stored } = ended;
  const { found, ...soFar } = state.repeats ?? NOTHING_YET;
  const kept = stored.find(({ key }) => key === keyOf(ended, soFar));
  if (found === undefined || kept?.version !== found) {
    return new RepeatsWork(ports, ended, { repeated: RepeatedRows.none(), soFar: NOTHING_YET });
  }
  const body = await ports.store.readBytes(kept.key, 0, kept.bytes);
  return new RepeatsWork(ports, ended, { repeated: RepeatedRows.from(body), soFar });
}

/** Stores what was found, for the next step. */
async function keep(
  { store }: RepeatsPorts,
  ended: EndedParts,
  { soFar, repeated }: RepeatsWork,
): Promise<RepeatsSoFar> {
  const body = repeated.stored();
  const found = await store.put(keyOf(ended, soFar), body, aboutBytes(body));
  return { ...soFar, found };
}

/** Another one with each piece that was done, so that each has one content. */
function keyOf(
  { state }: EndedParts,
  { rounds, readParts = 0, rewrittenParts = 0 }: RepeatsSoFar,
): string {
  return repeatsKey(state, rounds + readParts + rewrittenParts);
}

class RepeatsWork {
  readonly #ports: RepeatsPorts;
  readonly #ended: EndedParts;
  readonly repeated: RepeatedRows;
  #indexes: PartIndexes | undefined;
  /** Of each part, by its number. */
  #firstRows: ReadonlyMap<number, number> | undefined;
  soFar: RepeatsSoFar;

  constructor(
    ports: RepeatsPorts,
    ended: EndedParts,
    begun: { readonly repeated: RepeatedRows; readonly soFar: RepeatsSoFar },
  ) {
    this.#ports = ports;
    this.#ended = ended;
    this.repeated = begun.repeated;
    this.soFar = begun.soFar;
  }

  async nextPiece(): Promise<void> {
    const { state, chain } = this.#ended;
    const { rounds, readParts = 0, rewrittenParts = 0 } = this.soFar;
    const { idKey = '' } = state.walk;
    if (rounds < roundsOf(chain)) await this.#nextRound(idKey);
    else {
      const [unread, unwritten] = [this.#partAt(readParts), this.#partAt(rewrittenParts)];
      if (unread !== undefined) await this.#read(unread, idKey);
      else if (unwritten !== undefined) await this.#rewrite(unwritten, idKey);
    }
    this.#settle();
  }

  async #nextRound(idKey: string): Promise<void> {
    const { soFar } = this;
    const found = await this.#round(soFar.rounds, idKey);
    this.soFar = {
      ...soFar,
      rounds: soFar.rounds + 1,
      ids: soFar.ids + found.ids,
      texts: soFar.texts + found.texts,
    };
    if (this.#isLeft() === false) this.repeated.add(found.hashes, found.parts);
  }

  async #round(round: number, idKey: string): Promise<RoundRepeats> {
    const { store } = this.#ports;
    const { chain } = this.#ended;
    const [only, second] = chain;
    if (only !== undefined && second === undefined) return repeatsInPart(store, only, idKey);
    this.#indexes ??= await openIndexes(store, chain);
    return countRound(store, this.#indexes, round);
  }

  async #read(part: PartRecord, idKey: string): Promise<void> {
    let { readParts = 0, conflicts = 0, moved = 0 } = this.soFar;
    for await (const repeat of noteRows(this.#ports.store, part, this.repeated, idKey)) {
      if (repeat.isChanged) conflicts++;
      if (!this.#hasMoved(repeat)) continue;
      moved++;
      if (repeat.isChanged && isLeftTwice(this.#ended.state)) {
        this.repeated.keep(repeat.row, repeat.before);
      }
    }
    readParts++;
    this.soFar = { ...this.soFar, readParts, conflicts, moved };
  }

  /** See `RepeatRule`. */
  #hasMoved({ row, isChanged, before }: RepeatedRow): boolean {
    const rule = this.#ended.state.end.proof.repeats;
    if (rule.kind === 'harmless' || this.#isAgain(row)) return false;
    const { frontFromRow = Infinity } = rule;
    const isAtFront = this.#positionOf(row) >= frontFromRow;
    if (isChanged) return !isAtFront;
    // From 0 on it is no place, but that an edit can move a record to any.
    const isFront = isAtFront && frontFromRow > 0;
    const isFrontAgain = this.#positionOf(before) >= frontFromRow || this.#isAgain(before);
    return rule.mayBeEqual === undefined && !(isFront && isFrontAgain);
  }

  /** Whether it is among rows that were read again. */
  #isAgain({ part: number, line }: Pick<PlacedRow, 'part' | 'line'>): boolean {
    const { again = [] } = this.#ended.chain.find((part) => part.number === number) ?? {};
    // Of a line in between, an odd number of borders is at it or before it.
    return again.filter((border) => border <= line).length % 2 === 1;
  }

  /** Among all stored rows, in the order in which they came. */
  #positionOf({ part: number, line }: Pick<PlacedRow, 'part' | 'line'>): number {
    this.#firstRows ??= firstRowsOf(this.#ended.chain);
    return (this.#firstRows.get(number) ?? 0) + line;
  }

  async #rewrite(part: PartRecord, idKey: string): Promise<void> {
    const { rewrittenParts = 0, removed = 0 } = this.soFar;
    const rows = { repeated: this.repeated, idKey };
    const left = await compactPart(this.#ports, part, this.#ended.state, rows);
    this.soFar = { ...this.soFar, rewrittenParts: rewrittenParts + 1, removed: removed + left };
  }

  #settle(): void {
    const { rounds, rewrittenParts = 0 } = this.soFar;
    if (rounds < roundsOf(this.#ended.chain)) return;
    const isOver = this.#isLeft() || rewrittenParts === this.repeated.parts.length;
    if (isOver) this.soFar = { ...this.soFar, isSettled: true };
  }

  #isLeft(): boolean {
    const { state, chain } = this.#ended;
    const records = chain.reduce((sum, part) => sum + part.records, 0);
    return whyLeft(state, records, this.soFar) !== undefined;
  }

  /** Of the parts with repeated ids. */
  #partAt(index: number): PartRecord | undefined {
    const number = this.repeated.parts[index];
    return this.#ended.chain.find((part) => part.number === number);
  }
}

function firstRowsOf(chain: readonly PartRecord[]): ReadonlyMap<number, number> {
  let rows = 0;
  return new Map(
    chain.map(({ number, records }) => {
      rows += records;
      return [number, rows - records];
    }),
  );
}
