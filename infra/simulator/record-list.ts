import { EDIT_MEMBER, type EditTimes, editTimesOf } from './edit-times.ts';
import { membersOf, objectJson, textOf } from './json-text.ts';
import { ListHistory, type RecordChange } from './list-history.ts';
import { type ListOrder, orderRuleOf } from './list-order.ts';
import type { RecordSource } from './record-source.ts';
import type { Selection } from './resources.ts';

export interface RecordListOptions {
  readonly source: RecordSource;
  /** Records at the start. */
  readonly count: number;
  readonly order: ListOrder;
  /** Draws the places that the order leaves open. */
  readonly random: () => number;
  readonly onChanged: (change: RecordChange) => void;
}

/** Records of a list in its order. */
export interface Selected {
  readonly size: number;
  /** JSON texts of the records at positions from (included) to (excluded). */
  slice(from: number, to?: number): readonly string[];
}

/**
 * The records of one resource of one organization, in list order. Untouched records are made from
 * their source when they are asked for, so that a long list costs no start-up time.
 */
export class RecordList {
  readonly changes: RecordChange[] = [];
  /** Bytes of pages, by what was asked for; forgotten with every change. */
  readonly pages = new Map<string, Buffer>();
  readonly #options: RecordListOptions;
  readonly #source: RecordSource;
  readonly #order: number[];
  readonly #versions = new Map<number, number>();
  readonly #edits: EditTimes | undefined;
  readonly #texts = new Map<number, string>();
  /** What was selected, by the statuses; forgotten with every change. */
  readonly #selected = new Map<string, readonly number[]>();
  #nextSequence: number;

  constructor(options: RecordListOptions) {
    const { source, count, order } = options;
    this.#options = options;
    this.#source = source;
    const sequenceAt = orderRuleOf(order).first(count);
    this.#order = Array.from({ length: count }, (_, position) => sequenceAt(position));
    this.#edits = editTimesOf(order, this.#order);
    this.#nextSequence = count;
  }

  get size(): number {
    return this.#order.length;
  }

  /** The records with one of these statuses, in list order. */
  select(selection: Selection): Selected {
    const order = this.#orderOf(selection);
    return {
      size: order.length,
      slice: (from, to) => order.slice(from, to).map((sequence) => this.#textOf(sequence)),
    };
  }

  idAt(position: number): string | undefined {
    const sequence = this.#order[position];
    return sequence === undefined ? undefined : this.#source.idOf(sequence);
  }

  find(id: string): string | undefined {
    const sequence = this.#sequenceOf(id);
    return sequence === undefined ? undefined : this.#textOf(sequence);
  }

  /** The truth about all records, whatever their status. */
  history(): ListHistory {
    const first = Array.from({ length: this.#options.count }, (_, sequence) => {
      const text = this.#shown(this.#source.textOf(sequence, 1), this.#edits?.first(sequence));
      return [this.#source.idOf(sequence), text] as const;
    });
    return new ListHistory(new Map(first), this.changes);
  }

  /** Inserts a record where the order says; without members, one from the source. */
  insert(at: number, members?: ReadonlyMap<string, string>): string {
    const sequence = this.#nextSequence++;
    if (members !== undefined) {
      this.#texts.set(sequence, this.#recordText(this.#source.idOf(sequence), members));
    }
    this.#edits?.edited(sequence, at);
    const { order, random } = this.#options;
    this.#order.splice(orderRuleOf(order).ofNew(this.size, random), 0, sequence);
    return this.#changed(at, 'inserted', sequence);
  }

  replace(at: number, id: string, members: ReadonlyMap<string, string>): string | undefined {
    const sequence = this.#sequenceOf(id);
    if (sequence === undefined) return undefined;
    this.#texts.set(sequence, this.#recordText(id, members));
    return this.#edited(at, this.#order.indexOf(sequence), sequence);
  }

  /** Replaces the members that are given, keeps the others. */
  merge(at: number, id: string, members: ReadonlyMap<string, string>): string | undefined {
    const text = this.find(id);
    if (text === undefined) return undefined;
    return this.replace(at, id, new Map([...membersOf(text), ...members]));
  }

  /** A change made by somebody else: the record's next version. */
  touch(at: number, position: number): void {
    const sequence = this.#order[position];
    if (sequence === undefined) return;
    const text = this.#texts.get(sequence);
    const version = (this.#versions.get(sequence) ?? 1) + 1;
    this.#versions.set(sequence, version);
    if (text !== undefined) {
      const members = membersOf(text).set('version', String(version));
      this.#texts.set(sequence, objectJson(members));
    }
    this.#edited(at, position, sequence);
  }

  remove(at: number, id: string): string | undefined {
    const sequence = this.#sequenceOf(id);
    if (sequence === undefined) return undefined;
    const text = this.#textOf(sequence);
    this.#order.splice(this.#order.indexOf(sequence), 1);
    this.#texts.delete(sequence);
    this.#changed(at, 'deleted', sequence);
    return text;
  }

  /** Moves a record where the order says, now that it has been edited. */
  #edited(at: number, position: number, sequence: number): string {
    const { order, random } = this.#options;
    const { ofEdited } = orderRuleOf(order);
    this.#edits?.edited(sequence, at);
    if (ofEdited !== undefined) {
      this.#order.splice(position, 1);
      this.#order.splice(ofEdited(this.size, random), 0, sequence);
    }
    return this.#changed(at, 'updated', sequence);
  }

  #orderOf(selection: Selection): readonly number[] {
    if (selection === undefined) return this.#order;
    const name = [...selection].join();
    const known = this.#selected.get(name);
    if (known !== undefined) return known;
    const order = this.#order.filter((sequence) => selection.has(this.#statusOf(sequence)));
    this.#selected.set(name, order);
    return order;
  }

  #statusOf(sequence: number): string {
    const text = this.#texts.get(sequence);
    if (text === undefined) return this.#source.statusOf?.(sequence) ?? '';
    return textOf(membersOf(text).get('status')) ?? '';
  }

  #sequenceOf(id: string): number | undefined {
    const sequence = this.#source.sequenceOf(id);
    return sequence !== undefined && this.#order.includes(sequence) ? sequence : undefined;
  }

  #textOf(sequence: number): string {
    const text =
      this.#texts.get(sequence) ?? this.#source.textOf(sequence, this.#versions.get(sequence) ?? 1);
    return this.#shown(text, this.#edits?.of(sequence));
  }

  /** With the time of its last edit, where the list is in order of that. */
  #shown(text: string, editedAtMs: number | undefined): string {
    if (editedAtMs === undefined) return text;
    const value = JSON.stringify(new Date(editedAtMs).toISOString());
    return `${text.slice(0, -1)},"${EDIT_MEMBER}":${value}}`;
  }

  #recordText(id: string, members: ReadonlyMap<string, string>): string {
    const others = [...members].filter(([name]) => name !== 'id' && !this.#isOwn(name));
    return objectJson(new Map([['id', this.#source.idJson(id)], ...others]));
  }

  /** Whether it is told by the list, whatever a write says. */
  #isOwn(member: string): boolean {
    return this.#edits !== undefined && member === EDIT_MEMBER;
  }

  #changed(at: number, action: RecordChange['action'], sequence: number): string {
    this.pages.clear();
    this.#selected.clear();
    const id = this.#source.idOf(sequence);
    const text = this.#textOf(sequence);
    const change = { at, action, id, ...(action === 'deleted' ? {} : { text }) };
    this.changes.push(change);
    this.#options.onChanged(change);
    return text;
  }
}
