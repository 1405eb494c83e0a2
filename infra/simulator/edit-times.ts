import { type ListOrder, orderRuleOf } from './list-order.ts';

/** The member of a record that says when it was edited, in lists that are in order of that. */
export const EDIT_MEMBER = 'updated_at';

const FIRST_EDIT_MS = Date.UTC(2024, 0, 1);
/** Between two records that nobody has changed. */
const STEP_MS = 1_000;

/** When each record was edited, ms: each time is later than all before it. */
export interface EditTimes {
  /** Before anything changed. @param sequence Of a record that was there at the start. */
  first(sequence: number): number;
  of(sequence: number): number;
  edited(sequence: number, atMs: number): void;
}

/** @param start Sequence numbers in list order. @returns `undefined` for a list whose records do not show it. */
export function editTimesOf(order: ListOrder, start: readonly number[]): EditTimes | undefined {
  const { editedBefore } = orderRuleOf(order);
  if (editedBefore === undefined) return undefined;
  const { length } = start;
  const ranks = new Uint32Array(length);
  start.forEach((sequence, position) => {
    ranks[sequence] = editedBefore(position, length);
  });
  const first = (sequence: number) => FIRST_EDIT_MS + (ranks[sequence] ?? 0) * STEP_MS;
  const edits = new Map<number, number>();
  let lastMs = FIRST_EDIT_MS + length * STEP_MS;
  return {
    first,
    of: (sequence) => edits.get(sequence) ?? first(sequence),
    edited: (sequence, atMs) => {
      lastMs = Math.max(lastMs + 1, Math.trunc(atMs));
      edits.set(sequence, lastMs);
    },
  };
}
