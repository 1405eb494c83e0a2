import { hash } from 'node:crypto';
import { errorName } from '../errors.ts';
import type { Clock } from '../gate/ports.ts';
import type { Started } from './start-export.ts';

/** One scheduled time at which the exports of all connections start. */
export interface FanOut {
  /** The scheduled time, not the time of delivery. */
  readonly scheduledAtMs: number;
  /** The starts are spread over this time; 0: all at once. */
  readonly windowMs: number;
  /** Continues after this connection, which may be deleted by now. */
  readonly after?: string;
}

interface FanOutPorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Starts the export of one connection's list. A repeated call starts no second export. */
  start(connection: string): Promise<Started['kind']>;
  remainingMs(): number;
}

export interface FanOutReport {
  readonly counts: Readonly<Record<Started['kind'], number>>;
  readonly failed: readonly FailedStart[];
  /** Where to continue, and when; `dueAtMs` is absent when the time did not suffice for a single start. Absent when no connection is left. */
  readonly rest?: { readonly after: string | undefined; readonly dueAtMs?: number };
}

interface FailedStart {
  readonly connection: string;
  /** Name of the error. */
  readonly problem: string;
}

/** Each start makes about six calls of some milliseconds, one after the other. */
const STARTS_AT_ONCE = 16;
/** The longest usual time of a start: six calls of up to 15 s with the SDK's retries. */
const RESERVE_MS = 90_000;
/** Spread starts of one minute are made together, so an hour needs at most sixty reads of the list. */
const SHORTEST_DELAY_MS = 60_000;

/**
 * The place of a connection in every fan-out, 0 (inclusive) to 1 (exclusive). It never changes, so the time
 * between two of its exports is the schedule's interval. A hash spreads the places evenly.
 */
export function placeOf(connection: string): number {
  return hash('sha256', connection, 'buffer').readUIntBE(0, 6) / 2 ** 48;
}

/**
 * Starts the exports of the connections that are due, as many as fit into the invocation. A failed start does
 * not stop the others.
 */
export async function startAll(
  ports: FanOutPorts,
  fanOut: FanOut,
  connections: readonly string[],
): Promise<FanOutReport> {
  const left = inOrder(connections, fanOut.after);
  const counts = { started: 0, joined: 0, queued: 0, resumed: 0, halted: 0, over: 0 };
  const failed: FailedStart[] = [];
  let taken = 0;

  const mayStart = (connection: string) =>
    placeAtMs(connection, fanOut) <= ports.clock.now() && ports.remainingMs() > RESERVE_MS;
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
  const nowMs = ports.clock.now();
  const nextAtMs = placeAtMs(next, fanOut);
  const after = left[taken - 1] ?? fanOut.after;
  if (nextAtMs > nowMs) {
    const dueAtMs = Math.max(nextAtMs, nowMs + SHORTEST_DELAY_MS);
    return { counts, failed, rest: { after, dueAtMs } };
  }
  return { counts, failed, rest: { after, ...(taken > 0 && { dueAtMs: nowMs }) } };
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

function placeAtMs(connection: string, { scheduledAtMs, windowMs }: FanOut): number {
  return scheduledAtMs + placeOf(connection) * windowMs;
}
