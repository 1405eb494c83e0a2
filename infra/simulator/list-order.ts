import { randomBelow } from './random.ts';

/** Where records stand in a list, and whether they show why. Positions are from 0 to the length of the list. */
interface OrderRule {
  /** Sequence numbers by position, in a list of `count` records that nobody has changed. */
  readonly first: (count: number) => (position: number) => number;
  /** The position of a new record among `count` others. */
  readonly ofNew: (count: number, random: () => number) => number;
  /** The position of an edited record among `count` others. @default - it stays where it is */
  readonly ofEdited?: (count: number, random: () => number) => number;
  /**
   * For an order by the last edit, whose time the records show: how many of those that nobody has changed were edited
   * before the one at this position. @default - they do not show it
   */
  readonly editedBefore?: (position: number, count: number) => number;
}

const atStart = () => 0;
const atEnd = (count: number) => count;
const anywhere = (count: number, random: () => number) => randomBelow(random, count + 1);

const ORDERS = {
  rising: { first: () => (position) => position, ofNew: atEnd },
  falling: { first: (count) => (position) => count - 1 - position, ofNew: atStart },
  'by-last-edit': {
    first: scattered,
    ofNew: atStart,
    ofEdited: atStart,
    editedBefore: (position, count) => count - 1 - position,
  },
  'by-last-edit-rising': {
    first: scattered,
    ofNew: atEnd,
    ofEdited: atEnd,
    editedBefore: (position) => position,
  },
  fixed: { first: scattered, ofNew: anywhere },
  'by-value': { first: scattered, ofNew: anywhere, ofEdited: anywhere },
} as const satisfies Readonly<Record<string, OrderRule>>;

/**
 * The order of a list.
 *
 * - `rising`, `falling`: by id; new records have the largest ids.
 * - `by-last-edit`, `by-last-edit-rising`: new and edited records first, or last. Records show it: `updated_at`.
 * - `fixed`: by something that never changes and is not the id; new records come anywhere.
 * - `by-value`: by something that edits change, such as a name: edited records move anywhere too.
 */
export type ListOrder = keyof typeof ORDERS;

export const LIST_ORDERS = Object.keys(ORDERS).filter(isListOrder);

function isListOrder(name: string): name is ListOrder {
  return Object.hasOwn(ORDERS, name);
}

export function orderRuleOf(order: ListOrder): OrderRule {
  return ORDERS[order];
}

/** Share of the list that lies between the ids of two neighbours: the golden section spreads them evenly. */
const STRIDE = 0.618;

/** Every sequence number once, in no order of ids. */
function scattered(count: number): (position: number) => number {
  let stride = Math.max(1, Math.floor(count * STRIDE));
  while (greatestCommonDivisor(stride, count) > 1) stride += 1;
  return (position) => (position * stride) % count;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
