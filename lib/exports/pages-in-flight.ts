import type { ExportSettings } from './export-settings.ts';

/** Highest number of requests at the same time, whatever rate and latency. */
const MAX_PAGES_IN_FLIGHT = 16;

/** Without a known rate: eight at a time took 3.6 s where one at a time took 22 s (1,000 pages, 20 ms). */
const PAGES_IN_FLIGHT_WITHOUT_RATE = 8;

/**
 * How many requests may be under way: what the rate and the latency fill, and two more so that a slow
 * answer does not hold the rate down; without a known rate it grows with every page.
 */
export function pagesInFlightLimit(
  settings: Pick<ExportSettings, 'pagesInFlight' | 'requestsPerSecond'>,
  pagesTaken: number,
  latencyMs: number,
): number {
  // The first answer of a step shows whether the key is still accepted: a wrong key costs one request.
  if (pagesTaken === 0) return 1;
  if (settings.pagesInFlight !== undefined) return settings.pagesInFlight;
  if (settings.requestsPerSecond === undefined) {
    return Math.min(PAGES_IN_FLIGHT_WITHOUT_RATE, pagesTaken + 1);
  }
  const filled = Math.ceil((settings.requestsPerSecond * latencyMs) / 1000);
  return Math.min(MAX_PAGES_IN_FLIGHT, filled + 2);
}
