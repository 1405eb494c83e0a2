import type { StepItem } from './step-item.ts';
import { type Meaning, replaceItem, type StepKind, wakeItem } from './step-kind.ts';

/** `retry`: report the message as failed, so that it is delivered again. */
export type StepAnswer = 'acknowledge' | 'retry';

export type StepResult =
  /** The next wake-up is sent. */
  | 'goes-on'
  /** No key version may be sent: the item waits for another one. */
  | 'halted'
  /** The wait is not over: the same wake-up was sent again. */
  | 'early'
  /** The step is done already: a repeated message. */
  | 'past'
  /** The item ended before. */
  | 'over'
  /** Another worker holds the lease. */
  | 'held'
  /** The lease ended or another process wrote, so this worker's result does not count; the ledger decides. */
  | 'overtaken'
  /** There is no such item: it is over and expired. */
  | 'missing';

export interface Left<Item> {
  readonly answer: StepAnswer;
  readonly result: StepResult;
  readonly state?: Item;
}

/** Handles a wake-up without work. @param close Does what remains for an item at rest; safe to repeat. */
export async function leaveItem<Item extends StepItem>(
  kind: StepKind<Item>,
  meaning: Exclude<Meaning<Item>, { readonly kind: 'open' }>,
  close: (state: Item) => Promise<unknown>,
): Promise<Left<Item>> {
  if (meaning.kind === 'missing') return { answer: 'acknowledge', result: 'missing' };
  const { kind: result, state } = meaning;
  if (result === 'held') return { answer: 'retry', result, state };
  if (result !== 'past') await close(state);
  else if (meaning.sendNext) await wakeItem(kind, state);
  return { answer: 'acknowledge', result, state };
}

/** `marked` is the item with its wake-up marked as sent; `undefined` when another process has continued. */
export type Committed<Item> =
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'over' | 'halted'; readonly state: Item }
  | { readonly kind: 'goes-on'; readonly state: Item; readonly marked: Item | undefined };

/** Stores the result of a step and sends the wake-up for the next one, if there is one. */
export async function commitItem<Item extends StepItem>(
  kind: StepKind<Item>,
  previous: Item,
  next: Item,
): Promise<Committed<Item>> {
  const state = await replaceItem(kind, previous, next);
  if (state === undefined) return { kind: 'overtaken' };
  const rest = kind.restOf(state);
  if (rest !== undefined) return { kind: rest, state };
  return { kind: 'goes-on', state, marked: await wakeItem(kind, state) };
}
