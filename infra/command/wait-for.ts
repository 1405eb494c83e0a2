import { setTimeout as after } from 'node:timers/promises';

/** Settles after so many milliseconds, or at once when the signal is aborted. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await after(ms, undefined, { signal }).catch(() => undefined);
}
