import { expect, test } from '@jest/globals';
import { gaugeOf } from '../../../lib/pace/limit-gauge.ts';

const NOW = Date.UTC(2026, 0, 1);
const LINE = { latencyMs: 150, jitterMs: 10 };

test('requests at the same time are spread over a latency, and are as many as the limit admits', () => {
  const gauge = gaugeOf({ kind: 'at-once', requests: 8 }, [], LINE);
  const sentAtMs: number[] = [];
  let nowMs = NOW;
  while (sentAtMs.length < 8) {
    const dueMs = gauge.dueAtMs(nowMs, sentAtMs.length);
    if (dueMs <= nowMs) {
      gauge.spend(nowMs);
      sentAtMs.push(nowMs - NOW);
    }
    nowMs = Math.max(nowMs, Math.ceil(dueMs));
  }
  // Two together, the others in four fifths of the latency.
  expect(sentAtMs.slice(0, 3)).toEqual([0, 0, 12]);
  expect(sentAtMs.at(-1)).toBe(87);
  expect(gauge.dueAtMs(NOW + 1_000, 8)).toBeGreaterThan(NOW + 1_000);
  expect(gauge.dueAtMs(NOW + 1_000, 7)).toBe(NOW + 1_000);
});

test('a place of requests at the same time stays empty for as long as the API still counts the answered one', () => {
  const gauge = gaugeOf({ kind: 'at-once', requests: 8, laterMs: 3 }, [], LINE);

  expect(gauge.dueAtMs(NOW, 7)).toBe(NOW);
  expect(gauge.dueAtMs(NOW + 1, 8)).toBeGreaterThan(NOW + 10);
  expect(gauge.dueAtMs(NOW + 10, 7)).toBe(NOW + 13);
  expect(gauge.dueAtMs(NOW + 12, 6)).toBe(NOW + 13);
  expect(gauge.dueAtMs(NOW + 13, 6)).toBe(NOW + 13);
});

test('requests that waited for their connections fill a bucket when they leave, however long ago they were counted', () => {
  const gauge = gaugeOf({ kind: 'bucket', perSecond: 10, burst: 4 }, [], LINE);
  for (const atMs of [0, 100, 200]) gauge.spend(NOW + atMs);
  expect(gauge.dueAtMs(NOW + 300, 3)).toBe(NOW + 300);
  for (const _each of [1, 2, 3]) gauge.left?.(NOW + 300);
  expect(gauge.dueAtMs(NOW + 300, 3)).toBe(NOW + 300);
  gauge.spend(NOW + 300);
  gauge.left?.(NOW + 300);
  // But for what a late timer may make up for.
  expect(gauge.dueAtMs(NOW + 300, 4)).toBe(NOW + 397);
});

test('requests that all leave as much later do not make a bucket slower', () => {
  const gauge = gaugeOf({ kind: 'bucket', perSecond: 10, burst: 1.5 }, [], LINE);
  let nowMs = NOW;
  for (let sent = 0; sent < 100; sent++) {
    nowMs = Math.ceil(gauge.dueAtMs(nowMs, 0));
    gauge.spend(nowMs);
    gauge.left?.(nowMs + 2);
  }
  expect(nowMs - NOW).toBeLessThan(9_910);
});
