import type { Clock, Random } from '../gate/ports.ts';
import { isHeld, type StepItem } from './step-item.ts';

/** How one kind of item is stored and woken, and what its states mean. */
export interface StepKind<Item extends StepItem> {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'token'>;
  read(item: Item): Promise<Item | undefined>;
  /**
   * Stores `next` if the item's `writeToken` is `expectedToken`; `undefined` means: if there is no item. When the
   * condition fails, the item is read. If it has `next.writeToken`, this write succeeded and its answer was lost: the
   * result is `written`.
   *
   * @throws UnstorableItemError for an item that the ledger never takes.
   */
  swap(next: Item, expectedToken: string | undefined): Promise<Swapped<Item>>;
  /** Sends its wake-up. @param dueAtMs When it is due; it may come earlier. @default at once */
  send(item: Item, dueAtMs?: number): Promise<void>;
  /** The step of the next wake-up. */
  stepOf(item: Item): number;
  /** Why the item needs no work; `undefined` while it continues. */
  restOf(item: Item): Rest | undefined;
}

/** `over`: it ended. `halted`: it waits for another key version. */
type Rest = 'over' | 'halted';

export type Swapped<Item> =
  | { readonly kind: 'written' }
  /** Another process wrote first; `current` is the stored item, `undefined` when there is none. */
  | { readonly kind: 'conflict'; readonly current: Item | undefined };

/**
 * Replaces `previous` by `next`, with a new token.
 *
 * @returns The stored item, or `undefined` when another process wrote after `previous` was read.
 */
export async function replaceItem<Item extends StepItem, Next extends Item>(
  kind: Pick<StepKind<Item>, 'random' | 'swap'>,
  previous: Item,
  next: Next,
): Promise<Next | undefined> {
  const stored = { ...next, writeToken: kind.random.token() };
  const result = await kind.swap(stored, previous.writeToken);
  return result.kind === 'written' ? stored : undefined;
}

/**
 * Sends the wake-up of the stored item, then marks it as sent. In this order: a mark without a message would
 * leave the item asleep, but a message without a mark is at worst sent twice.
 *
 * @returns The stored item, or `undefined` when another process has continued.
 */
export async function wakeItem<Item extends StepItem>(
  kind: Pick<StepKind<Item>, 'clock' | 'random' | 'swap' | 'send'>,
  item: Item,
): Promise<Item | undefined> {
  const updatedAtMs = kind.clock.now();
  await kind.send(item, item.notBeforeMs);
  return replaceItem(kind, item, { ...item, wakeUpSent: true, updatedAtMs });
}

export type Meaning<Item> =
  | { readonly kind: 'missing' }
  | { readonly kind: Rest; readonly state: Item }
  /** For an earlier step; the next wake-up may not be sent yet. */
  | { readonly kind: 'past'; readonly state: Item; readonly sendNext: boolean }
  | { readonly kind: 'held'; readonly state: Item }
  | { readonly kind: 'open'; readonly state: Item };

export function meaningOf<Item extends StepItem>(
  { stepOf, restOf }: Pick<StepKind<Item>, 'stepOf' | 'restOf'>,
  state: Item | undefined,
  step: number,
  nowMs: number,
): Meaning<Item> {
  if (state === undefined) return { kind: 'missing' };
  const rest = restOf(state);
  if (rest !== undefined) return { kind: rest, state };
  if (step !== stepOf(state)) return { kind: 'past', state, sendNext: !state.wakeUpSent };
  return { kind: isHeld(state, nowMs) ? 'held' : 'open', state };
}
