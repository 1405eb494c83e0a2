import { randomOf } from '../../../../infra/simulator/random.ts';
import type { WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { type ListRule, type Mix, MovingList, type ServerRule } from './moving-list.ts';
import { type Result, readList } from './read-list.ts';

export interface Order {
  readonly rule: ListRule;
  /** As an operator sets it. */
  readonly order?: WalkOptions['order'];
  /** Share of runs that have to end complete, at 0.5 changes a request and at 3, half of them with crashes. */
  readonly complete: number;
  readonly busy?: number;
}

/** In which orders lists are read while they change, as the tests and `npm run bench -- walks` do it. */
export const ORDERS = {
  rising: { rule: { first: 'rising', inserts: 'last', edits: 'stay' }, complete: 0.95, busy: 0.9 },
  falling: {
    rule: { first: 'falling', inserts: 'first', edits: 'stay' },
    complete: 0.95,
    busy: 0.9,
  },
  'by last edit, newest first': {
    rule: { first: 'scattered', inserts: 'first', edits: 'first', shows: 'edited' },
    complete: 0.95,
    busy: 0.5,
  },
  'by last edit, newest first, and by id so far': {
    rule: { first: 'falling', inserts: 'first', edits: 'first', shows: 'edited' },
    complete: 0.95,
    busy: 0.5,
  },
  'by a last edit that is not shown': {
    rule: { first: 'scattered', inserts: 'first', edits: 'first' },
    complete: 0,
  },
  'by last edit, oldest first': {
    rule: { first: 'scattered', inserts: 'last', edits: 'last', shows: 'edited' },
    complete: 0.95,
    busy: 0.4,
  },
  'by last edit, oldest first, and by id so far': {
    rule: { first: 'rising', inserts: 'last', edits: 'last', shows: 'edited' },
    complete: 0.95,
    busy: 0.2,
  },
  'by the day of the last edit, newest first': {
    rule: {
      first: 'scattered',
      inserts: 'first',
      edits: 'first',
      shows: 'edited',
      changesATime: 12,
    },
    complete: 0.9,
  },
  'by the day of the last edit, oldest first': {
    rule: { first: 'scattered', inserts: 'last', edits: 'last', shows: 'edited', changesATime: 12 },
    complete: 0,
  },
  'by creation': {
    rule: { first: 'scattered', inserts: 'last', edits: 'stay', shows: 'created' },
    complete: 0.95,
    busy: 0.8,
  },
  'fixed, as it is set': {
    rule: { first: 'scattered', inserts: 'last', edits: 'stay' },
    order: 'fixed',
    complete: 0.95,
    busy: 0.8,
  },
  'fixed, records added anywhere': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'stay' },
    order: 'fixed',
    complete: 0,
  },
  'fixed, but nothing shows it': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'stay' },
    complete: 0,
  },
  'by the month of the last edit, newest first, as it is set': {
    rule: {
      ...{ first: 'scattered', inserts: 'first', edits: 'first', shows: 'edited' },
      changesATime: 200,
    },
    order: 'by-last-edit',
    complete: 0,
  },
  'by the month of the last edit, oldest first, as it is set': {
    rule: {
      ...{ first: 'scattered', inserts: 'last', edits: 'last', shows: 'edited' },
      changesATime: 200,
    },
    order: 'by-last-edit',
    complete: 0,
  },
  'by a value that edits change': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'anywhere' },
    complete: 0,
  },
  'by such a value, new records first': {
    rule: { first: 'scattered', inserts: 'first', edits: 'anywhere' },
    complete: 0,
  },
  'by such a value, and by id so far': {
    rule: { first: 'rising', inserts: 'anywhere', edits: 'anywhere' },
    complete: 0,
  },
  'another one in each answer': {
    rule: { first: 'scattered', inserts: 'anywhere', edits: 'stay', isShuffled: true },
    complete: 0,
  },
} as const satisfies Readonly<Record<string, Order>>;

export interface Run extends Partial<WalkOptions> {
  readonly rows: number;
  readonly perPage: number;
  /** Changes a request. */
  readonly rate: number;
  readonly server?: Partial<ServerRule>;
  readonly crashes?: number;
}

/** Of each request: balanced, mostly deletes, mostly inserts, edits alone, and many at once. */
function mixOf(seed: number, rate: number): Mix {
  const third = rate / 3;
  const mixes: readonly Mix[] = [
    { inserts: third, deletes: third, edits: third },
    { inserts: rate / 6, deletes: (2 * rate) / 3, edits: rate / 6 },
    { inserts: (2 * rate) / 3, deletes: rate / 6, edits: rate / 6 },
    { inserts: 0, deletes: 0, edits: rate },
    { inserts: third, deletes: third, edits: third, bursts: 0.01 },
  ];
  return mixes[seed % mixes.length] ?? { inserts: 0, deletes: 0, edits: 0 };
}

/** A seed gives the same list, changes and answers each time. */
export function readMoving(seed: number, order: Order, run: Run): Result {
  const random = randomOf(seed);
  const { rows, perPage, rate, server, crashes = 0, ...options } = run;
  return readList({
    list: new MovingList(order.rule, rows, random),
    server: { perPage: 'any', says: 'all', ...server, largest: perPage },
    mix: mixOf(seed, rate),
    random,
    options: { firstPage: 1, perPage, ...(order.order ? { order: order.order } : {}), ...options },
    inFlight: 1 + (seed % 16),
    isReopened: seed % 7 === 3,
    crashes,
  });
}
