import { expect, test } from '@jest/globals';
import { waitsOf } from '../../../infra/report/course-chart.ts';
import { exportCourse, ledgerPoint } from '../../../infra/report/export-course.ts';
import { columnsOf } from '../../../infra/report/rate-chart.ts';
import type { CoursePoint, LoggedRequest } from '../../../infra/report/report-data.ts';
import { START_MS, stateOf } from '../../lib/exports/state-of.ts';

const stateAt = (elapsedMs: number) => {
  const { counters } = stateOf({});
  return stateOf({
    updatedAtMs: START_MS + elapsedMs,
    counters: { ...counters, pages: elapsedMs },
    notBeforeMs: START_MS + 10,
  });
};

test('keeps one point for each write of the ledger, with the wait that it began', () => {
  const course = exportCourse(ledgerPoint);
  for (const elapsedMs of [5, 5, 20]) course.see(stateAt(elapsedMs));

  expect(course.points()).toMatchObject([
    { atMs: START_MS + 5, pages: 5, waitUntilMs: START_MS + 10 },
    { atMs: START_MS + 20, pages: 20 },
  ]);
  expect(course.points()[1]).not.toHaveProperty('waitUntilMs');
});

test('a course of any length keeps at most 2,000 points, the newest among them', () => {
  const course = exportCourse(ledgerPoint);
  for (let elapsedMs = 1; elapsedMs <= 9_001; elapsedMs += 1) course.see(stateAt(elapsedMs));

  const pages = course.points().map((point) => point.pages);
  expect(pages.length).toBeLessThanOrEqual(2_000);
  expect(pages.length).toBeGreaterThan(900);
  expect(pages.at(-1)).toBe(9_001);
  expect(pages).toEqual(pages.toSorted((a, b) => a - b));
});

const point = (atMs: number, waitUntilMs?: number): CoursePoint => ({
  ...{ atMs, pages: 0, records: 0, throttles: 0, parts: 0 },
  ...(waitUntilMs === undefined ? {} : { waitUntilMs }),
});

test('waits that touch each other are one, and a point after a wait begins no other', () => {
  const course = [
    point(0, 10),
    point(5, 12),
    point(6, 11),
    point(12, 14),
    point(20),
    point(30, 31),
  ];
  expect(waitsOf(course, 40)).toEqual([
    { fromMs: 0, toMs: 14 },
    { fromMs: 30, toMs: 31 },
  ]);
});

test('of a wait that an export did not wait for to its end, what it waited is drawn', () => {
  expect(waitsOf([point(0), point(5, 60_000)], 20)).toEqual([{ fromMs: 5, toMs: 20 }]);
  expect(waitsOf([point(0), point(20, 60_000)], 20)).toEqual([]);
});

test('every request is in one column, in whole seconds', () => {
  const outcomes = ['answered', 'throttled', 'failed'] as const;
  const requests = Array.from({ length: 300 }, (_, index): LoggedRequest => {
    return { atMs: 1_000 + index * 1_000, outcome: outcomes[index % 3] ?? 'failed' };
  });
  const { counts, widthMs } = columnsOf(requests, 1_000, 299_000);

  expect(widthMs).toBe(3_000);
  expect(counts).toHaveLength(100);
  expect(counts).toEqual(counts.map(() => ({ answered: 1, throttled: 1, failed: 1 })));
});
