import { expect, test } from '@jest/globals';
import { parseScheduleExpression } from '../../../../../infra/local/services/scheduler/schedule-expression.ts';
import {
  type Clock,
  scheduleInput,
  startSchedules,
} from '../../../../../infra/local/services/scheduler/schedules.ts';

const MINUTE_MS = 60_000;

function fakeClock(startMs: number) {
  let nowMs = startMs;
  const timers = new Map<number, { atMs: number; callback: () => void }>();
  let count = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    after(ms, callback) {
      const id = count++;
      timers.set(id, { atMs: nowMs + ms, callback });
      return () => timers.delete(id);
    },
  };
  const advance = (ms: number) => {
    const endMs = nowMs + ms;
    for (;;) {
      const due = [...timers]
        .filter(([, { atMs }]) => atMs <= endMs)
        .sort(([, a], [, b]) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      timers.delete(due[0]);
      nowMs = Math.max(nowMs, due[1].atMs);
      due[1].callback();
    }
    nowMs = endMs;
  };
  return { clock, advance, pending: () => timers.size };
}

const rate = parseScheduleExpression('rate(5 minutes)', 'UTC', 'Sweep');

test('fires at the start, then every period, until it is stopped', () => {
  const { clock, advance, pending } = fakeClock(1_000);
  const fired: number[] = [];
  const stop = startSchedules(
    [{ expression: rate, startMs: 0, fire: (ms) => fired.push(ms) }],
    clock,
    0,
  );
  advance(11 * MINUTE_MS);
  expect(fired).toEqual([0, 5 * MINUTE_MS, 10 * MINUTE_MS]);
  stop();
  expect(pending()).toBe(0);
});

test('does not fire after its end', () => {
  const { clock, advance } = fakeClock(0);
  const fired: number[] = [];
  const occurrence = {
    expression: rate,
    startMs: 0,
    endMs: 6 * MINUTE_MS,
    fire: (ms: number) => fired.push(ms),
  };
  startSchedules([occurrence], clock, 0);
  advance(60 * MINUTE_MS);
  expect(fired).toEqual([0, 5 * MINUTE_MS]);
});

test('waits longer than one timer of Node.js can', () => {
  const later = parseScheduleExpression('cron(0 0 1 4 ? 1970)', 'UTC', 'Later');
  const { clock, advance } = fakeClock(0);
  const fired: string[] = [];
  const fire = (ms: number) => fired.push(new Date(ms).toISOString());
  startSchedules([{ expression: later, startMs: 0, fire }], clock, 0);
  advance(200 * 24 * 60 * MINUTE_MS);
  expect(fired).toEqual(['1970-04-01T00:00:00.000Z']);
});

test('fills in the planned time and leaves other angle brackets', () => {
  const input = '{"t":"<aws.scheduler.scheduled-time>","o":"<other>"}';
  expect(JSON.parse(scheduleInput(input, Date.UTC(2026, 0, 2)))).toEqual({
    t: '2026-01-02T00:00:00Z',
    o: '<other>',
  });
});
