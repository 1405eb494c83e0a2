import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerCase } from './cases.ts';
import type { Contender } from './contenders.ts';

/** One run of a contender under a case: as many exports as it has rows, one after the other. */
export interface Turn {
  readonly peerCase: PeerCase;
  readonly contender: Contender;
  readonly run: number;
}

/**
 * Of two processors. What waits takes as long beside others as alone while they leave some of it.
 */
export const SHARED_PROCESSORS = 1.5;

/** Apart enough that exports do not start at the same time. */
const STAGGER_MS = 700;

/** From this latency on a loop that asks one page after the other waits most of its time. */
const LOOP_LATENCY_MS = 20;
/** Processor time of a page, with that of the API. */
const PAGE_MS = 6;

/** How much of the processors a turn keeps busy; `undefined` for one that is measured alone. */
export function processorsOf({ peerCase, contender }: Omit<Turn, 'run'>): number | undefined {
  const { processors, latencyMs = 0 } = peerCase;
  if (processors !== undefined) return processors;
  const isWaiting = contender.isLoop === true && latencyMs >= LOOP_LATENCY_MS;
  return isWaiting ? PAGE_MS / (latencyMs + PAGE_MS) : undefined;
}

/** About how long a turn takes. */
function secondsOf({ peerCase, contender }: Omit<Turn, 'run'>): number {
  const { pages, latencyMs = 0, seconds } = peerCase;
  const loopSeconds = contender.isLoop === true ? (pages * (latencyMs + PAGE_MS)) / 1000 : 0;
  return contender.rows.length * Math.max(seconds, loopSeconds);
}

/** About how long all of them take in {@link takeTurns}. */
export function secondsOfAll(turns: readonly Turn[]): number {
  const together = turns.reduce(
    (sum, turn) => sum + ((processorsOf(turn) ?? 0) * secondsOf(turn)) / SHARED_PROCESSORS,
    0,
  );
  const alone = turns.filter((turn) => processorsOf(turn) === undefined);
  return alone.reduce((sum, turn) => sum + secondsOf(turn), together);
}

/** What needs the processors is measured alone; what waits, beside others that wait, the longest first. */
export async function takeTurns(
  turns: readonly Turn[],
  take: (turn: Turn) => Promise<void>,
): Promise<void> {
  for (const turn of turns) if (processorsOf(turn) === undefined) await take(turn);
  const waiting = turns
    .filter((turn) => processorsOf(turn) !== undefined)
    .toSorted((a, b) => secondsOf(b) - secondsOf(a));
  const running = new Set<Promise<void>>();
  let busy = 0;
  while (waiting.length > 0) {
    const next = waiting.findIndex((turn) => busy + (processorsOf(turn) ?? 0) <= SHARED_PROCESSORS);
    const [turn] = next < 0 ? [] : waiting.splice(next, 1);
    if (turn === undefined) {
      await Promise.race(running);
      continue;
    }
    const share = processorsOf(turn) ?? 0;
    busy += share;
    const taken = take(turn).finally(() => {
      busy -= share;
      running.delete(taken);
    });
    running.add(taken);
    await Promise.race([sleep(STAGGER_MS, undefined, { ref: false }), taken]);
  }
  await Promise.all(running);
}
