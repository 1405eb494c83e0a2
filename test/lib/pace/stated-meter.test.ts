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

test('a bucket that was full for a while gets nothing back meanwhile, and is one all the same', () => {
  const meter = begun(50, 1, 1);
  read(meter, 9, 1);
  expect(meter.state.perMs).toBe(0.05);
  for (const number of [2, 3]) read(meter, 9, 1, { number, sentAtMs: NOW + number * 40 });
  for (let number = 4; number <= 12; number++) {
    read(meter, Math.max(0, 12 - number), 1, { number, sentAtMs: NOW + 140 });
  }
  expect(meter.state.perMs).toBe(0.05);
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
  expect(meter.dueAtMs()).toBe(NOW + 400);
  meter.spend(NOW + 400);
  read(meter, 0, 1, { number: 10, sentAtMs: NOW + 400 });
  expect(meter.state).toMatchObject({ isShown: true, perMs: 0 });
  expect(meter.dueAtMs()).toBe(NOW + 1_000);
  // It stays a window, of which others have used something the next time.
  meter.spend(NOW + 1_000);
  read(meter, 5, 1, { number: 11, sentAtMs: NOW + 1_000 });
  expect(meter.state).toMatchObject({ isShown: true, perMs: 0 });
});

test('a bucket is shown by what came back, and holds no more than was seen in it', () => {
  const meter = begun(10, 1, 1);
  read(meter, 9, 1);
  for (let each = 0; each < 8; each++) meter.spend(NOW + 1);
  meter.spend(NOW + 400);
  read(meter, 4, 1, { number: 10, sentAtMs: NOW + 400 });
  expect(meter.state).toMatchObject({ isShown: true, perMs: 0.01, full: 10 });
  // All are back ever later: should it be a window after all, this one is not over yet.
  expect(meter.state.backAtMs).toBe(NOW + 1_400);
  meter.spend(NOW + 3_600_000);
  expect(meter.state.left).toBe(9);
  for (let each = 0; each < 9; each++) meter.spend(NOW + 3_600_000);
  expect(meter.dueAtMs()).toBe(NOW + 3_600_100);
});

test('the end of a window is the earliest that an answer tells, and then all are back', () => {
  const meter = begun(10, 60, 3);
  read(meter, 9, 58, { after: 2, underWay: 2 });
  read(meter, 8, 59, { number: 2, after: 1, underWay: 1 });
  expect(meter.state.backAtMs).toBe(NOW + 58_000);
  meter.spend(NOW + 58_000);
  expect(meter.state.left).toBe(9);
});

test('a window with more left than was counted is another one, and ends as it says', () => {
  const known = { name: 'a', requests: 10, windowMs: 60_000, perMs: 0, isShown: true, full: 10 };
  // As an earlier step left it; since then the API has begun to count anew.
  const meter = new StatedMeter({ ...known, left: 4, atMs: NOW, backAtMs: NOW + 59_500 });
  for (let each = 0; each < 2; each++) meter.spend(NOW);
  read(meter, 8, 60, { number: 2 });
  expect(meter.state).toMatchObject({ left: 8, perMs: 0, backAtMs: NOW + 60_000 });
  read(meter, 9, 60, { number: 1, after: 1, off: 1 });
  expect(meter.state).toMatchObject({ left: 8, perMs: 0, backAtMs: NOW + 60_000 });
});

test('the shortest reset is taken for the window where none is stated', () => {
  const meter = StatedMeter.begun({ name: '50', requests: 50 }, 0, NOW);
  meter.spend(NOW);
  meter.read({ name: '50', remaining: 0, resetSeconds: 1 }, told({}));
  expect(meter.state).toMatchObject({ perMs: 0.05, full: 1 });
  expect(meter.dueAtMs()).toBe(NOW + 20);
});

test('asks for an answer where nothing is left and no end is told', () => {
  const meter = StatedMeter.begun({ name: '5', requests: 5 }, 0, NOW);
  for (let each = 0; each < 5; each++) meter.spend(NOW);
  expect(meter.dueAtMs()).toBeUndefined();
  // One is left, and no end of a window is told that could be waited for.
  meter.read({ name: '5', remaining: 1 }, told({ number: 5 }));
  expect(meter.dueAtMs()).toBe(0);
});

test('a policy alone that is throttled early is a bucket of half of what was admitted', () => {
  const meter = begun(100, 10, 20);
  meter.throttled(NOW + 20, NOW + 1_020, told({ number: 11, after: 9 }));
  expect(meter.state).toMatchObject({ perMs: 0.01, full: 5, left: 0 });
  for (const full of [2, 1, 1]) {
    meter.throttled(NOW + 1_100, NOW + 2_100, told({ number: 21 }));
    expect(meter.state.full).toBe(full);
  }
  const first = begun(100, 10, 1);
  first.throttled(NOW + 20, NOW + 1_020, told({}));
  expect(first.state).toMatchObject({ perMs: 0.01, full: 1 });
});

test('a window of which answers say what is left stays one when it is throttled', () => {
  const meter = begun(100, 10, 20);
  read(meter, 80, 10, { number: 20 });
  meter.throttled(NOW + 20, NOW + 1_020, told({ number: 20 }));
  expect(meter.state.perMs).toBe(0);
});

test('a throttled window is back when the wait is over', () => {
  const meter = begun(10, 60, 12);
  meter.throttled(NOW + 20, NOW + 30_000, told({ number: 11, after: 1 }));
  expect(meter.state).toMatchObject({ left: -2, atMs: NOW + 20 });
  expect(meter.dueAtMs()).toBe(NOW + 30_000);
  meter.spend(NOW + 30_000);
  expect(meter.state).toMatchObject({ left: 9, backAtMs: NOW + 90_000 });
});

test('throttled requests are not counted as requests that came back', () => {
  const meter = begun(10, 60, 1);
  read(meter, 9, 60);
  for (let each = 0; each < 12; each++) meter.spend(NOW + 1);
  meter.throttled(NOW + 20, NOW + 60_000, told({ number: 11, after: 2 }));
  read(meter, 0, 60, { number: 13, sentAtMs: NOW + 1 });
  expect(meter.state).toMatchObject({ isShown: false, perMs: 0 });
});

test('what was left when a request was sent tells whether the limit may be the cause of its throttle', () => {
  const meter = begun(20, 60, 19);
  read(meter, 1, 60, { number: 19 });
  expect(meter.isUsedUp(told({ number: 19 }))).toBe(true);
  expect(meter.isUsedUp(told({ number: 9, after: 10 }))).toBe(false);
  expect(meter.isUsedUp(told({ number: 9, after: 10, off: 10 }))).toBe(true);
});

test('of a limit without a size as many are back at its end as were seen at most', () => {
  const meter = StatedMeter.begun({ name: '' }, 0, NOW);
  meter.spend(NOW);
  read(meter, 4, 10);
  meter.spend(NOW + 10_000);
  expect(meter.state.left).toBe(4);
});

/** Of 50 requests, without a stated window. */
const BUCKET = {
  ...{ name: 'a', requests: 50, windowMs: 0, perMs: 0.05, isShown: true },
  ...{ full: 10, left: 5, atMs: NOW, backAtMs: 0 },
};

test('a number that may be off by overtaking changes a bucket by a share of the difference', () => {
  const meter = new StatedMeter(BUCKET);
  read(meter, 7, 0, { off: 3 });
  expect(meter.state.left).toBe(5.5);
});

test.each([
  [3, 8],
  [9, 9],
])('of a bucket, %i that were left have become %i, and no more than it holds', (told, left) => {
  const meter = new StatedMeter({ ...BUCKET, atMs: NOW + 100 });
  read(meter, told, 0);
  expect(meter.state.left).toBe(left);
});

test('the rate that a bucket has shown is kept in the next step, whatever resets are told then', () => {
  const meter = new StatedMeter(BUCKET);
  read(meter, 5, 2);
  read(meter, 5, 2, { number: 41, sentAtMs: NOW + 800 });
  expect(meter.state.perMs).toBe(0.05);
});

test('no more can have come back to a bucket than was taken out of it, however long ago', () => {
  const meter = new StatedMeter(BUCKET);
  read(meter, 9, 0);
  read(meter, 9, 0, { number: 5, sentAtMs: NOW + 3_600_000 });
  expect(meter.state.perMs).toBe(0.05);
});

test('requests of others that are heard of later fill no bucket', () => {
  const meter = new StatedMeter({ ...BUCKET, left: 1 });
  for (const atMs of [NOW + 100, NOW, NOW + 100]) meter.spend(atMs);
  expect(meter.state.left).toBe(3);
});

test.each([
  [3, 0.01],
  [2, 0.01],
  [1, 0],
])('%i of 4 requests that came back in time are at the rate of %d', (cameBack, perMs) => {
  const meter = begun(10, 1, 1);
  read(meter, 9, 1);
  for (let each = 0; each < 8; each++) meter.spend(NOW + 1);
  meter.spend(NOW + 400);
  read(meter, cameBack, 1, { number: 10, sentAtMs: NOW + 400 });
  expect(meter.state).toMatchObject({ isShown: true, perMs });
});

test('a window begins its own count of what comes back', () => {
  const meter = begun(10, 1, 1);
  read(meter, 9, 1);
  for (let each = 0; each < 9; each++) meter.spend(NOW + 1);
  meter.spend(NOW + 1_000);
  read(meter, 9, 1, { number: 11, sentAtMs: NOW + 1_000 });
  expect(meter.state).toMatchObject({ isShown: false, perMs: 0 });
});

test('numbers that may be off show nothing, neither the first one nor a later one', () => {
  const less = begun(50, 1, 1);
  read(less, 45, 1, { off: 5 });
  expect(less.state.perMs).toBe(0);
  const meter = begun(10, 60, 1);
  read(meter, 9, 60, { off: 5 });
  for (let each = 0; each < 3; each++) meter.spend(NOW + 1);
  read(meter, 9, 60, { number: 4, sentAtMs: NOW + 1 });
  expect(meter.state.isShown).toBe(false);
});

test('of a window that has ended room is kept for those that wait, as of any other', () => {
  const meter = begun(4, 1, 4);
  expect(meter.dueAtMs()).toBe(NOW + 1_000);
  meter.roll(NOW + 999);
  expect(meter.dueAtMs()).toBe(NOW + 1_000);
  meter.roll(NOW + 1_000);
  expect(meter.dueAtMs(2)).toBe(0);
  expect(meter.dueAtMs(4)).toBeUndefined();
});
