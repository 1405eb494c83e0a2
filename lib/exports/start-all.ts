import { createHash } from 'node:crypto';
import { errorName } from '../errors.ts';
import type { Clock } from '../gate/ports.ts';
import { MAX_DELAY_SECONDS } from '../steps/delay.ts';
import type { Started } from './start-export.ts';

/** One planned time at which the exports of all connections start. */
export interface FanOut {
  /** The time that was planned, not that of delivery. */
  readonly scheduledAtMs: number;
  /** The starts are spread over this time; 0 for all at once. */
  readonly windowMs: number;
  /** Goes on behind this connection, which need not be there any more. */
  readonly after?: string;
}

export interface FanOutPorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Starts the export of one connection; a repetition starts nothing twice. */
  start(connection: string): Promise<Started['kind']>;
  /** Milliseconds until the function is ended. */
  remainingMs(): number;
}

export interface FanOutReport {
  /** How many starts came to what. */
  readonly counts: Readonly<Record<Started['kind'], number>>;
  readonly failed: readonly FailedStart[];
  /** What is left, and after how many seconds it should go on, 0 to 900. Absent when nothing is left. */
  readonly rest?: { readonly after: string | undefined; readonly delaySeconds: number };
}

interface FailedStart {
  readonly connection: string;
  /** Name of the error. */
  readonly problem: string;
}

/** Each start is about six calls of some milliseconds, one after the other. */
const STARTS_AT_ONCE = 16;
/** The longest that a start takes as a rule: six calls of up to 15 s with the SDK's repetitions. */
const RESERVE_MS = 90_000;
/** Spread starts are made together for a minute, so that an hour takes sixty looks at the list at most. */
const SHORTEST_DELAY_SECONDS = 60;

/**
 * The place of a connection in every fan-out, 0 (inclusive) to 1 (exclusive): the same each time, so that the
 * time between two of its exports is that of the schedule, and evenly spread whatever the names are.
 */
export function placeOf(connection: string): number {
  return createHash('sha256').update(connection).digest().readUIntBE(0, 6) / 2 ** 48;
}

/**
 * Starts the exports of the connections whose time has come, as many as fit into the invocation. A start
 * that fails keeps no other from it.
 *
 * @param connections All of them, in any order.
 */
export async function startAll(
  ports: FanOutPorts,
  fanOut: FanOut,
  connections: readonly string[],
): Promise<FanOutReport> {
  const left = inOrder(connections, fanOut.after);
  const counts = { started: 0, joined: 0, resumed: 0, halted: 0, over: 0 };
  const failed: FailedStart[] = [];
  let taken = 0;

  const mayStart = (connection: string) =>
    dueAtMs(connection, fanOut) <= ports.clock.now() && ports.remainingMs() > RESERVE_MS;
  const startSome = async () => {
    for (let next = left[taken]; next !== undefined && mayStart(next); next = left[taken]) {
      taken += 1;
      try {
        counts[await ports.start(next)] += 1;
      } catch (error) {
        failed.push({ connection: next, problem: errorName(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, startSome));

  const next = left[taken];
  if (next === undefined) return { counts, failed };
  const waitSeconds = Math.ceil((dueAtMs(next, fanOut) - ports.clock.now()) / 1000);
  const delaySeconds =
    waitSeconds <= 0
      ? 0
      : Math.min(MAX_DELAY_SECONDS, Math.max(SHORTEST_DELAY_SECONDS, waitSeconds));
  return { counts, failed, rest: { after: left[taken - 1] ?? fanOut.after, delaySeconds } };
}

function inOrder(connections: readonly string[], after: string | undefined): readonly string[] {
  const placed = connections.map((name) => ({ name, place: placeOf(name) }));
  const byPlace = (a: Placed, b: Placed) => a.place - b.place || (a.name < b.name ? -1 : 1);
  const from = after === undefined ? undefined : { name: after, place: placeOf(after) };
  return placed
    .filter((each) => from === undefined || (each.name !== from.name && byPlace(from, each) < 0))
    .sort(byPlace)
    .map(({ name }) => name);
}

interface Placed {
  readonly name: string;
  readonly place: number;
}

function dueAtMs(connection: string, { scheduledAtMs, windowMs }: FanOut): number {
  return scheduledAtMs + placeOf(connection) * windowMs;
}
