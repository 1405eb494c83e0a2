import type { Behaviour } from './model-api.ts';
import { pageWith } from './model-api.ts';

export const ORDERS = ['rising', 'falling', 'by-last-edit', 'hidden'] as const;
type Order = (typeof ORDERS)[number];

interface Row {
  readonly id: number;
  readonly edits: number;
  readonly updatedAtMs: number;
  /** By which a list of hidden order is ordered. */
  readonly value: number;
}

/** A list that changes with each request: rows are added, removed and edited by chance. */
export class MovingList {
  readonly #random: () => number;
  readonly #order: Order;
  readonly #changesARequest: number;
  #rows: readonly Row[];
  #nextId: number;
  #nowMs = Date.UTC(2026, 0, 1);
  /** Since the first request. */
  readonly #removed = new Set<number>();
  /** Every text that a record ever had. */
  readonly texts = new Set<string>();
  readonly #first: ReadonlySet<number>;

  constructor(order: Order, rows: number, changesARequest: number, random: () => number) {
    this.#random = random;
    this.#order = order;
    this.#changesARequest = changesARequest;
    this.#nextId = rows + 1;
    this.#rows = Array.from({ length: rows }, (_, index) => this.#newRow(index + 1));
    this.#first = new Set(this.#rows.map(({ id }) => id));
    for (const row of this.#sorted()) this.texts.add(textOf(row));
  }

  /** Ids of the rows that were there from the first request to now. */
  get throughout(): readonly number[] {
    return [...this.#first].filter((id) => !this.#removed.has(id));
  }

  readonly behaviour: Behaviour = ({ page, perPage }) => {
    for (let left = this.#changesARequest; left > this.#random(); left--) this.#change();
    const rows = this.#sorted();
    const texts = rows.slice((page - 1) * perPage, page * perPage).map(textOf);
    const total = rows.length;
    return pageWith(texts, page, { total, total_pages: Math.ceil(total / perPage) });
  };

  #change(): void {
    const kind = this.#random();
    const row = this.#rows[Math.floor(this.#random() * this.#rows.length)];
    if (kind < 0.33 || row === undefined) {
      this.#put(this.#newRow(this.#nextId++));
    } else if (kind < 0.66) {
      this.#rows = this.#rows.filter(({ id }) => id !== row.id);
      this.#removed.add(row.id);
    } else {
      this.#rows = this.#rows.filter(({ id }) => id !== row.id);
      this.#put({ ...this.#newRow(row.id), edits: row.edits + 1 });
    }
  }

  #put(row: Row): void {
    this.#rows = [...this.#rows, row];
    this.texts.add(textOf(row));
  }

  #newRow(id: number): Row {
    this.#nowMs += 1;
    return { id, edits: 0, updatedAtMs: this.#nowMs, value: this.#random() };
  }

  #sorted(): readonly Row[] {
    const keyOf = {
      rising: ({ id }: Row) => id,
      falling: ({ id }: Row) => -id,
      'by-last-edit': ({ updatedAtMs }: Row) => -updatedAtMs,
      hidden: ({ value }: Row) => value,
    }[this.#order];
    return this.#rows.toSorted((one, other) => keyOf(one) - keyOf(other));
  }
}

function textOf({ id, edits, updatedAtMs }: Row): string {
  return `{"id":${id},"edits":${edits},"updated_at":"${new Date(updatedAtMs).toISOString()}"}`;
}
