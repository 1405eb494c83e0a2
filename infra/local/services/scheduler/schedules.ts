import { nextTimeMs, type ScheduleExpression } from './schedule-expression.ts';

export interface Clock {
  nowMs(): number;
  /** Calls back after a time of at most 2^31 - 1 ms; gives what takes the call back. */
  after(ms: number, callback: () => void): () => void;
}

/** Something that happens at certain times. */
export interface Occurrence {
  readonly expression: ScheduleExpression;
  /** Unix time in milliseconds; a rate counts from here. */
  readonly startMs: number;
  readonly endMs?: number | undefined;
  /** @param scheduledMs When it should happen, Unix time in milliseconds. */
  readonly fire: (scheduledMs: number) => void;
}

/** The longest delay that a timer of Node.js takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Fires every occurrence at its times from `sinceMs` on; the result ends all of them. A time that
 * passed while this machine slept is left out.
 */
export function startSchedules(
  occurrences: readonly Occurrence[],
  clock: Clock,
  sinceMs: number,
): () => void {
  const stops = occurrences.map((occurrence) => startOccurrence(occurrence, clock, sinceMs));
  return () => {
    for (const stop of stops) stop();
  };
}

function startOccurrence(
  { expression, startMs, endMs, fire }: Occurrence,
  clock: Clock,
  sinceMs: number,
): () => void {
  let cancel = () => {};
  // A schedule that starts now fires now.
  plan(Math.max(startMs, sinceMs) - 1);
  return () => cancel();

  function plan(afterMs: number): void {
    const nextMs = nextTimeMs(expression, afterMs, startMs);
    if (nextMs === undefined || (endMs !== undefined && nextMs > endMs)) return;
    wait(nextMs);
  }

  function wait(nextMs: number): void {
    const restMs = nextMs - clock.nowMs();
    cancel = clock.after(Math.min(Math.max(restMs, 0), MAX_TIMER_MS), () => {
      if (nextMs > clock.nowMs()) return wait(nextMs);
      fire(nextMs);
      plan(Math.max(nextMs, clock.nowMs() - 1));
    });
  }
}

/** The context attribute that is filled in here (EventBridge Scheduler user guide, "Adding context attributes"). */
export const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

export function scheduleInput(input: string, scheduledMs: number): string {
  const time = `${new Date(scheduledMs).toISOString().slice(0, 19)}Z`;
  return input.replaceAll(SCHEDULED_TIME, time);
}
