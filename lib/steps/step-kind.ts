import type { Clock, Random } from '../gate/ports.ts';
import { delaySecondsUntil } from './delay.ts';
import type { StepItem } from './step-item.ts';

/** One kind of item that is worked on in steps: where it is kept, and what its states mean. */
export interface StepKind<Item extends StepItem> {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'token'>;
  /** The item as the ledger holds it now. */
  read(item: Item): Promise<Item | undefined>;
  /** Stores `next` if the item's `writeToken` is still `expectedToken`; `undefined` means if there is no item. */
  swap(next: Item, expectedToken: string | undefined): Promise<Swapped<Item>>;
  /** Sends the wake-up for the item's next step. */
  send(item: Item, delaySeconds: number): Promise<void>;
  /** The step that the next wake-up is for. */
  stepOf(item: Item): number;
  /** Why nothing is to be done for it; `undefined` while it goes on. */
  restOf(item: Item): Rest | undefined;
}

/** `over`: it ended. `halted`: it waits for another key version. */
type Rest = 'over' | 'halted';

export type Swapped<Item> =
  | { readonly kind: 'written' }
  /** Somebody else wrote first; `current` is what they wrote, `undefined` when there is no item. */
  | { readonly kind: 'conflict'; readonly current: Item | undefined };

/**
 * Writes `next` in place of `previous`, under a token of its own.
 *
 * @returns What is stored now, or `undefined` when somebody else wrote after `previous` was read.
 */
export async function replaceItem<Item extends StepItem>(
  kind: Pick<StepKind<Item>, 'random' | 'swap'>,
  previous: Item,
  next: Item,
): Promise<Item | undefined> {
  const stored = { ...next, writeToken: kind.random.token() };
  const result = await kind.swap(stored, previous.writeToken);
  return result.kind === 'written' ? stored : undefined;
}

/**
 * Sends the wake-up that the stored item asks for, then marks it sent. In this order, since a mark without a
 * message would leave the item asleep, while a message without a mark is at worst sent twice.
 *
 * @returns The item as stored, or `undefined` when somebody else has gone on already.
 */
export async function wakeItem<Item extends StepItem>(
  kind: Pick<StepKind<Item>, 'clock' | 'random' | 'swap' | 'send'>,
  item: Item,
): Promise<Item | undefined> {
  const nowMs = kind.clock.now();
  await kind.send(item, delaySecondsUntil(item.notBeforeMs, nowMs));
  return replaceItem(kind, item, { ...item, wakeUpSent: true, updatedAtMs: nowMs });
}

/** What a wake-up means for an item as the ledger has it. */
export type Meaning<Item> =
  | { readonly kind: 'missing' }
  | { readonly kind: Rest; readonly state: Item }
  /** For another step than the next one, whose wake-up may still have to be sent. */
  | { readonly kind: 'past'; readonly state: Item; readonly sendNext: boolean }
  /** Another worker is at it. */
  | { readonly kind: 'held'; readonly state: Item }
  | { readonly kind: 'open'; readonly state: Item };

/** @param step Of the wake-up. */
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
  // At `untilMs` itself the lease is over.
  const isHeld = state.lease !== undefined && state.lease.untilMs > nowMs;
  return { kind: isHeld ? 'held' : 'open', state };
}
