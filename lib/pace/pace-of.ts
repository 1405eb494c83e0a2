import { AdaptivePace } from './adaptive-pace.ts';
import type { GatePace } from './gate-pace.ts';
import type { Pacer } from './pacer.ts';
import { SetPace } from './set-pace.ts';

/** The pace that is set, or else the one that goes on from what was learned. @param lastAtMs Of the latest request. */
export function paceOf(
  { requestsPerSecond }: { readonly requestsPerSecond?: number | undefined },
  { pace }: { readonly pace?: GatePace | undefined },
  lastAtMs: number,
): Pacer {
  return requestsPerSecond === undefined
    ? new AdaptivePace(pace, lastAtMs)
    : new SetPace(requestsPerSecond, lastAtMs);
}
