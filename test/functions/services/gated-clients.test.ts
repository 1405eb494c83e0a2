import { expect, test } from '@jest/globals';
import { recordMs } from '../../../functions/services/gated-clients.ts';

test.each([
  [60_000, 55_000],
  [20_000, 15_000],
  [3_000, 2_250],
  [0, 0],
])(
  'of %i ms that an invocation has left, requests have %i: the rest is for its answer',
  (leftMs, forRequestsMs) => {
    expect(recordMs({ getRemainingTimeInMillis: () => leftMs })()).toBe(forRequestsMs);
  },
);
