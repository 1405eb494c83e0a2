import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/gate/ports.ts';

export const systemClock: Clock = {
  now: Date.now,
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, { signal });
    } catch {
      // Aborted: the caller looks at the signal.
    }
  },
};
