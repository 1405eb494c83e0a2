import { expect, test } from '@jest/globals';
import { type FetchStop, stopToWait } from '../../../lib/exports/fetch-stop.ts';

const NOW = 1_000_000;
const FREE = {
  blockedUntilMs: 0,
  paceAtMs: NOW,
  dueAtMs: NOW,
  burstAtMs: undefined,
  latencyMs: 100,
  stopAtMs: NOW + 200_000,
};
const dueIn = (ms: number) => ({ paceAtMs: NOW + ms, dueAtMs: NOW + ms });

test.each([
  ['asks at once', {}, undefined],
  ['sits out the pace for ten seconds', dueIn(10_000), undefined],
  [
    'leaves a slower pace to the queue',
    dueIn(10_001),
    { kind: 'paced', notBeforeMs: NOW + 10_001 },
  ],
  ['sits out two seconds before a burst', { ...dueIn(2_000), burstAtMs: NOW + 2_000 }, undefined],
  [
    'leaves a longer time before a burst to the queue, up to the place behind it',
    { ...dueIn(2_001), burstAtMs: NOW + 3_000, dueAtMs: NOW + 4_000.5 },
    { kind: 'paced', notBeforeMs: NOW + 4_001 },
  ],
  ['waits a minute for a place', { dueAtMs: NOW + 60_000 }, undefined],
  [
    'leaves a later place to the queue',
    { dueAtMs: NOW + 60_001 },
    { kind: 'paced', notBeforeMs: NOW + 60_001 },
  ],
  ['sits out a short wait', { ...dueIn(10_000), blockedUntilMs: NOW + 10_000 }, undefined],
  [
    'leaves a longer wait to the queue',
    { ...dueIn(10_001), blockedUntilMs: NOW + 10_001 },
    { kind: 'blocked', notBeforeMs: NOW + 10_001 },
  ],
  [
    'names a wait rather than the end of its time',
    { ...dueIn(500), blockedUntilMs: NOW + 500, stopAtMs: NOW + 599 },
    { kind: 'blocked', notBeforeMs: NOW + 500 },
  ],
  ['asks where the answer comes in time', { stopAtMs: NOW + 101 }, undefined],
  ['asks for nothing that would be aborted', { stopAtMs: NOW + 100 }, { kind: 'time-up' }],
] satisfies readonly [
  string,
  Partial<Omit<typeof FREE, 'burstAtMs'>> & { burstAtMs?: number },
  FetchStop | undefined,
][])('before its next request a step %s', (_, next, stop) => {
  expect(stopToWait(NOW, { ...FREE, ...next })).toEqual(stop);
});
