import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Random } from '../../lib/gate/ports.ts';

export const systemClock: Clock = {
  now: Date.now,
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, { signal });
    } catch {
      // Aborted: the caller checks the signal.
    }
  },
  busyMs: () => performance.eventLoopUtilization().active,
};

export const systemRandom: Random = {
  fraction: Math.random,
  token: () => randomBytes(16).toString('hex'),
};
