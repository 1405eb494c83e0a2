import { randomBytes } from 'node:crypto';
import type { Random } from '../../lib/gate/ports.ts';

export const systemRandom: Random = {
  fraction: Math.random,
  token: () => randomBytes(16).toString('hex'),
};
