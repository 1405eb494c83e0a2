import { expect, test } from '@jest/globals';
import { costUsdOf } from '../../infra/cost/billed-units.ts';
import { type CostedExport, expectedExport } from './expected-export.ts';

const asked: CostedExport = {
  customers: 100_000,
  perPage: 100,
  limit: { kind: 'none' },
  latencyMs: 20,
  memoryMiB: 1769,
};

test('a short export is one step with its parts and its report', () => {
  const { pages, steps, units } = expectedExport(asked);

  expect([pages, steps]).toEqual([1150, 1]);
  expect(units).toMatchObject({ lambdaRequests: 3, sqsRequests: 6, s3PutLike: 10 });
});

test('an export at a rate takes as long as the rate says, in as many steps as fit', () => {
  const limit = { kind: 'rate', requestsPerSecond: 50 } as const;

  expect(expectedExport({ ...asked, limit })).toMatchObject({ durationSeconds: 23, steps: 1 });
  const long = expectedExport({ ...asked, customers: 10_000_000, limit });
  expect(long).toMatchObject({ durationSeconds: 2300, steps: 8 });
});

test('the wait for a window costs no time of a function', () => {
  const limit = { kind: 'window', requests: 600, windowSeconds: 60 } as const;
  const inWindows = expectedExport({ ...asked, customers: 1_000_000, limit });
  const atOnce = expectedExport({ ...asked, customers: 1_000_000 });

  expect(inWindows.steps).toBe(20);
  expect(inWindows.durationSeconds).toBeGreaterThan(960);
  expect(inWindows.units.lambdaGbSeconds).toBeLessThan(atOnce.units.lambdaGbSeconds * 1.5);
});

test('less memory than the processor needs takes longer', () => {
  const small = expectedExport({ ...asked, memoryMiB: 256 });

  expect(small.durationSeconds).toBeGreaterThan(3 * expectedExport(asked).durationSeconds);
});

test('an empty list costs something too', () => {
  expect(costUsdOf(expectedExport({ ...asked, customers: 0 }).units)).toBeGreaterThan(0);
});
