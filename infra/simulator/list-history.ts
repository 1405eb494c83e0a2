import * as v from 'valibot';
import { parseOptions, parseSetting } from '../../lib/customers-api/parse-options.ts';

/** What happened to a record since the simulator started. Plain JSON. */
export interface RecordChange {
  /** By the simulator's clock, ms. */
  readonly at: number;
  readonly action: 'inserted' | 'updated' | 'deleted';
  readonly id: string;
  /** JSON text of the record from then on; absent when it was deleted. */
  readonly text?: string;
}

/** A time from its first to its last moment, both included, ms. An export, from its first to its last request. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

const TimeSchema = v.number('expected milliseconds since the epoch');
const PeriodSchema = v.strictObject({ fromMs: TimeSchema, toMs: TimeSchema });

/** Ids of records, by what became of them. */
export interface IdsByChange {
  readonly added: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

/** What two readers of a changing list find different. */
export interface Comparison {
  /** Whenever they read each record. */
  readonly certain: IdsByChange;
  /** Only if they read some records at certain moments; what is certain is possible too. All else cannot be. */
  readonly possible: IdsByChange;
}

const RecordsSchema = v.map(v.string(), v.string(), 'expected a Map of JSON texts by id');

/** The truth about a list at any time: what was there at the start, and what happened since then, oldest first. */
export class ListHistory {
  readonly #first: ReadonlyMap<string, string>;
  readonly #changes: readonly RecordChange[];

  /** @param first JSON texts by id. */
  constructor(first: ReadonlyMap<string, string>, changes: readonly RecordChange[]) {
    this.#first = first;
    this.#changes = changes;
  }

  /** JSON texts by id, after all that had happened at that time; in no order. */
  recordsAt(ms: number): ReadonlyMap<string, string> {
    parseSetting(TimeSchema, ms, 'ms');
    return this.#after(this.#changes.filter(({ at }) => at <= ms));
  }

  /** Ids of the records that were there at each moment of a period. */
  throughout(period: Period): ReadonlySet<string> {
    const { fromMs, toMs } = parseOptions(PeriodSchema, period, 'period');
    const before = this.#changes.filter(({ at }) => at < fromMs);
    const there = new Set(this.#after(before).keys());
    for (const { at, action, id } of this.#changes) {
      if (action === 'deleted' && at <= toMs) there.delete(id);
    }
    return there;
  }

  /** What differs between two moments. */
  between(fromMs: number, toMs: number): IdsByChange {
    parseSetting(TimeSchema, fromMs, 'fromMs');
    parseSetting(TimeSchema, toMs, 'toMs');
    const stateAt = (ms: number) =>
      new Map([...this.recordsAt(ms)].map(([id, text]) => [id, new Set([text])]));
    return compared(stateAt(fromMs), stateAt(toMs)).certain;
  }

  /** What two readers find different who read each record at some moment of a period. */
  compare(one: Period, other: Period): Comparison {
    parseSetting(PeriodSchema, one, 'one');
    parseSetting(PeriodSchema, other, 'other');
    return compared(this.textsIn(one), this.textsIn(other));
  }

  /** Whether someone who read each record at some moment of a period may have got these, by their ids, and no others. */
  mayBeRead(period: Period, records: ReadonlyMap<string, string>): boolean {
    parseSetting(RecordsSchema, records, 'records');
    const states = this.textsIn(period);
    const ids = new Set([...states.keys(), ...records.keys()]);
    return [...ids].every((id) => (states.get(id) ?? NOT_THERE).has(records.get(id)));
  }

  /** The texts that each record had during a period, `undefined` for not being there. */
  textsIn(period: Period): States {
    const { fromMs, toMs } = parseOptions(PeriodSchema, period, 'period');
    const before = this.#after(this.#changes.filter(({ at }) => at < fromMs));
    const states = new Map<string, Set<string | undefined>>();
    for (const [id, text] of before) states.set(id, new Set([text]));
    for (const { at, id, text } of this.#changes) {
      if (at < fromMs || at > toMs) continue;
      states.set(id, (states.get(id) ?? new Set(NOT_THERE)).add(text));
    }
    return states;
  }

  #after(changes: readonly RecordChange[]): Map<string, string> {
    const records = new Map(this.#first);
    for (const { id, text } of changes) {
      if (text === undefined) records.delete(id);
      else records.set(id, text);
    }
    return records;
  }
}

/** The texts of each record, `undefined` for not being there. */
type States = ReadonlyMap<string, ReadonlySet<string | undefined>>;

const NOT_THERE: ReadonlySet<string | undefined> = new Set([undefined]);

function compared(one: States, other: States): Comparison {
  const [certain, possible] = [emptyIds(), emptyIds()];
  for (const id of new Set([...one.keys(), ...other.keys()])) {
    const pairs = [...(one.get(id) ?? NOT_THERE)].flatMap((was) =>
      [...(other.get(id) ?? NOT_THERE)].map((is) => changeBetween(was, is)),
    );
    for (const change of pairs) if (change !== undefined) possible[change].add(id);
    const [only, ...others] = new Set(pairs);
    if (only !== undefined && others.length === 0) certain[only].add(id);
  }
  return { certain, possible };
}

function emptyIds() {
  const [added, changed, removed] = [new Set<string>(), new Set<string>(), new Set<string>()];
  return { added, changed, removed };
}

function changeBetween(
  was: string | undefined,
  is: string | undefined,
): keyof IdsByChange | undefined {
  if (was === is) return undefined;
  if (was === undefined) return 'added';
  return is === undefined ? 'removed' : 'changed';
}
