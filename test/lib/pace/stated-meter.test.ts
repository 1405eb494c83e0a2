import { expect, test } from '@jest/globals';
import { StatedMeter, type Told } from '../../../lib/pace/stated-meter.ts';

const NOW = Date.UTC(2026, 0, 1);

const told = (change: Partial<Told>): Told => ({
  ...{ number: 1, sentAtMs: NOW, after: 0, underWay: 0, off: 0, ...change },
});

function begun(requests: number, windowSeconds: number, spent: number): StatedMeter {
  const meter = StatedMeter.begun({ name: 'a', requests, windowSeconds }, 0, NOW);
  for (let each = 0; each < spent; each++) meter.spend(NOW);
  return meter;
}

const read = (
  meter: StatedMeter,
  remaining: number,
  resetSeconds: number,
  to: Partial<Told> = {},
) => meter.read({ name: 'a', remaining, resetSeconds }, told(to));

test('a number that is off by requests that overtook each other changes a window not at all', () => {
  const meter = begun(100, 60, 10);
  read(meter, 96, 60, { number: 1, after: 9, underWay: 9, off: 9 });
  expect(meter.state.left).toBe(90);
  read(meter, 99, 60, { number: 4, after: 6, underWay: 8, off: 9 });
  expect(meter.state.left).toBe(90);
});

test('a number that is off by more is believed', () => {
  const meter = begun(100, 60, 10);
  read(meter, 60, 60, { number: 1, after: 9, underWay: 9, off: 3 });
  expect(meter.state.left).toBe(51);
  // More by so many requests that may have overtaken it.
  read(meter, 99, 60, { number: 2, after: 8, underWay: 8, off: 3 });
  expect(meter.state.left).toBe(88);
});

test('the lowest number of a window is the exact one when all are answered', () => {
  const meter = begun(100, 60, 2);
  read(meter, 97, 60, { number: 2, underWay: 1, off: 1 });
  read(meter, 98, 60, { number: 1, after: 1, off: 1 });
  expect(meter.state.left).toBe(97);
});

test('an answer to a request of the window before says nothing of this one', () => {
  const meter = begun(10, 1, 10);
  meter.spend(NOW + 1_000);
  read(meter, 0, 1, { number: 10, after: 1 });
  expect(meter.state).toMatchObject({ left: 9, backAtMs: NOW + 2_000 });
});

test.each([
  ['which is back soon, is a bucket', 50, 1, 9, 1, 0.05],
  ['which is back later, is a window that others use', 600, 60, 100, 45, 0],
  ['and more than stated, is a bucket', 2, 1, 39, 1, 0.002],
])('what is left at first, %s', (_title, requests, seconds, left, resetSeconds, perMs) => {
  const meter = begun(requests, seconds, 1);
  read(meter, left, resetSeconds);
  expect(meter.state).toMatchObject({ left, perMs, isShown: false });
});

test('the last request of a window is kept until its answer can show what came back', () => {
  const meter = begun(10, 1, 1);
  read(meter, 9, 1);
  for (let each = 0; each < 8; each++) meter.spend(NOW + 1);
  expect(meter.dueAtMs).toBe(NOW + 400);
  meter.spend(NOW + 400);
  read(meter, 0, 1, { number: 10, sentAtMs: NOW + 400 });
  expect(meter.state).toMatchObject({ isShown: true, perMs: 0 });
  expect(meter.dueAtMs).toBe(NOW + 1_000);
});

test('a bucket is shown by what came back, and holds no more than was seen in it', () => {
  const meter = begun(10, 1, 1);
  read(meter, 9, 1);
  for (let each = 0; each < 8; each++) meter.spend(NOW + 1);
  meter.spend(NOW + 400);
  read(meter, 4, 1, { number: 10, sentAtMs: NOW + 400 });
  expect(meter.state).toMatchObject({ isShown: true, perMs: 0.01, full: 10 });
  meter.spend(NOW + 3_600_000);
  expect(meter.state.left).toBe(9);
  for (let each = 0; each < 9; each++) meter.spend(NOW + 3_600_000);
  expect(meter.dueAtMs).toBe(NOW + 3_600_100);
});

test('the end of a window is the earliest that an answer tells, and then all are back', () => {
  const meter = begun(10, 60, 3);
  read(meter, 9, 58, { after: 2, underWay: 2 });
  read(meter, 8, 59, { number: 2, after: 1, underWay: 1 });
  expect(meter.state.backAtMs).toBe(NOW + 58_000);
  meter.spend(NOW + 58_000);
  expect(meter.state.left).toBe(9);
});

test('the shortest reset is taken for the window where none is stated', () => {
  const meter = StatedMeter.begun({ name: '50', requests: 50 }, 0, NOW);
  meter.spend(NOW);
  meter.read({ name: '50', remaining: 0, resetSeconds: 1 }, told({}));
  expect(meter.state).toMatchObject({ perMs: 0.05, full: 1 });
  expect(meter.dueAtMs).toBe(NOW + 20);
});

test('asks for an answer where nothing is left and no end is told', () => {
  const meter = StatedMeter.begun({ name: '5', requests: 5 }, 0, NOW);
  for (let each = 0; each < 5; each++) meter.spend(NOW);
  expect(meter.dueAtMs).toBeUndefined();
  // One is left, and no end of a window is told that could be waited for.
  meter.read({ name: '5', remaining: 1 }, told({ number: 5 }));
  expect(meter.dueAtMs).toBe(0);
});

test('a policy alone that is throttled early is a bucket of half of what was admitted', () => {
  const meter = begun(100, 10, 20);
  meter.throttled(NOW + 20, NOW + 1_020, told({ number: 11, after: 9 }));
  expect(meter.state).toMatchObject({ perMs: 0.01, full: 5, left: 0 });
  meter.throttled(NOW + 1_100, NOW + 2_100, told({ number: 21 }));
  expect(meter.state.full).toBe(2);
});
