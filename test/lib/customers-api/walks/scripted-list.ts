import type { ReadableList } from './moving-list.ts';

type Ids = readonly number[];

/** A list that is another one behind each answer, as it is told. The last one stays. */
export class ScriptedList implements ReadableList {
  readonly throughout: ReadonlySet<number>;
  readonly #states: Ids[];

  /** @param states Ids in their order: before the first answer, behind it, and so on. */
  constructor(first: Ids, ...states: readonly Ids[]) {
    this.#states = [first, ...states];
    this.throughout = new Set(first.filter((id) => states.every((ids) => ids.includes(id))));
  }

  get length(): number {
    return this.#ids.length;
  }

  get #ids(): Ids {
    return this.#states[0] ?? [];
  }

  change(): void {
    if (this.#states.length > 1) this.#states.shift();
  }

  slice(start: number, end: number): readonly string[] {
    return this.#ids.slice(start, end).map((id) => `{"id":${id}}`);
  }
}
