import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Random } from '../../lib/gate/ports.ts';

export const systemClock: Clock = {
  now: Date.now,
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, { signal });
      // After a standstill Node.js runs timers first: an answer that lies there is read before its request is ended.
      await nextTurn();
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
