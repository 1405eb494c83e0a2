import type { StepItem } from './step-item.ts';
import { type Meaning, replaceItem, type StepKind, wakeItem } from './step-kind.ts';

/** `retry`: report the message as failed, so that the queue brings it back. */
export type StepAnswer = 'acknowledge' | 'retry';

/** What a wake-up of any kind came to. */
export type StepResult =
  /** The next wake-up is on its way. */
  | 'goes-on'
  /** No key version may be sent: it waits for another one. */
  | 'halted'
  /** Still waiting: the same wake-up was sent again. */
  | 'early'
  /** The step was done before: a repeated message. */
  | 'past'
  /** It had ended before. */
  | 'over'
  /** Another worker holds the lease. */
  | 'held'
  /** The lease ended or somebody else wrote, so nothing of this worker counts: the ledger tells how it goes on. */
  | 'overtaken'
  /** No such item: over and forgotten. */
  | 'missing';

/** What a wake-up came to whose item nothing is to be done for. */
export interface Left<Item> {
  readonly answer: StepAnswer;
  readonly result: StepResult;
  /** Absent when there is none. */
  readonly state?: Item;
}

/**
 * Does what remains for a wake-up that finds nothing to work on.
 *
 * @param close Does what remains for an item at rest; repeating does no harm.
 */
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

/** What a commit came to. `marked` is the item with its wake-up noted as sent; `undefined` when somebody has gone on. */
export type Committed<Item> =
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'over' | 'halted'; readonly state: Item }
  | { readonly kind: 'goes-on'; readonly state: Item; readonly marked: Item | undefined };

/** Stores what a step came to and sends the wake-up for the next one, if it goes on. */
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
