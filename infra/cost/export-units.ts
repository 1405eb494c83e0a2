import type { BilledUnits } from './billed-units.ts';

/** How the API limits an export. */
export type CostedLimit =
  | { readonly kind: 'none' }
  /** Kept by the export's own pace, without a throttle. */
  | { readonly kind: 'rate'; readonly requestsPerSecond: number }
  /** Used up in a burst; the wait for the next window costs nothing. */
  | { readonly kind: 'window'; readonly requests: number; readonly windowSeconds: number };

export interface CostedExport {
  readonly customers: number;
  readonly perPage: number;
  readonly limit: CostedLimit;
  /** Of the API, ms. */
  readonly latencyMs: number;
  /** Of the worker. */
  readonly memoryMiB: number;
}

export interface ExpectedExport {
  readonly units: BilledUnits;
  readonly pages: number;
  /** Invocations of the worker. */
  readonly steps: number;
  readonly durationSeconds: number;
}

/** Processor time of a page of 100 customers, TLS and compression included, ms (npm run bench -- memory-size). */
const CPU_MS_A_PAGE = 1.6;
/** Memory at which Lambda gives one processor (developer guide, "Configure function memory"). */
const MIB_A_PROCESSOR = 1769;
/** Pages under way without a known rate (lib/exports/pages-in-flight.ts). */
const PAGES_IN_FLIGHT = 8;
/** Of the pages under way when a window is used up, about half come too late (counted: 10 to 14 in three windows). */
const THROTTLES_A_WINDOW = 4;
/** The worker's timeout less what it keeps for its last part. */
const STEP_SECONDS = 290;
/** Start of the function, claim and commit: billed with every step. */
const STEP_OVERHEAD_SECONDS = 0.5;
/** A trigger's function, half a GiB for about a third of a second with its start. */
const START_GB_SECONDS = 0.17;
const PAGES_A_PART = 500;
/** The active export comes and goes, and the history gets its place: a unit each, once an export. */
const INDEX_WRITES = 3;
const MIB_PER_GIB = 1024;

/** What one export by a trigger costs, from what each step and part does; `npm run bench -- cost` checks it. */
export function expectedExport(asked: CostedExport): ExpectedExport {
  const pages = Math.max(1, Math.ceil(asked.customers / asked.perPage));
  const { busySeconds, durationSeconds, steps, throttles } = courseOf(asked, pages);
  const parts = partsOf(pages, steps);
  const workerSeconds = busySeconds + steps * STEP_OVERHEAD_SECONDS;
  const units: BilledUnits = {
    lambdaGbSeconds: START_GB_SECONDS + (workerSeconds * asked.memoryMiB) / MIB_PER_GIB,
    lambdaRequests: 1 + steps,
    // Each wake-up is sent, received and deleted.
    sqsRequests: 3 * steps,
    // Counted: the export and its end, then records and commits of parts, claims, commits and marks of
    // steps, of 1 to 2 KB each; a throttle is told to the gate. The local engine does not count indexes.
    dynamodbWriteUnits: 5 + INDEX_WRITES + 3 * parts + 4 * steps + throttles,
    // The gate is read again every second.
    dynamodbReadUnits: 5 + 2 * steps + busySeconds,
    // Manifest, latest.json and the list of what is there.
    s3PutLike: parts + 3,
    s3GetLike: 1,
    secretsManagerCalls: steps,
    eventBridgeEvents: 1,
    schedulerInvocations: 0,
    httpApiRequests: 0,
  };
  return { units, pages, steps, durationSeconds };
}

interface Course {
  readonly busySeconds: number;
  readonly durationSeconds: number;
  readonly steps: number;
  readonly throttles: number;
}

function courseOf({ limit, latencyMs, memoryMiB }: CostedExport, pages: number): Course {
  const processors = Math.min(1, memoryMiB / MIB_A_PROCESSOR);
  const pageMs = Math.max(latencyMs / PAGES_IN_FLIGHT, CPU_MS_A_PAGE / processors);
  const busySeconds = (pages * pageMs) / 1000;
  switch (limit.kind) {
    case 'none':
      return evenly(busySeconds);
    case 'rate':
      return evenly(Math.max(busySeconds, pages / limit.requestsPerSecond));
    case 'window': {
      const windows = Math.ceil(pages / limit.requests);
      return {
        busySeconds,
        durationSeconds: (windows - 1) * limit.windowSeconds + busySeconds / windows,
        steps: windows,
        throttles: (windows - 1) * THROTTLES_A_WINDOW,
      };
    }
  }
}

function evenly(busySeconds: number): Course {
  const steps = Math.ceil(busySeconds / STEP_SECONDS);
  return { busySeconds, durationSeconds: busySeconds, steps, throttles: 0 };
}

/** A step stores what it has when it ends. */
function partsOf(pages: number, steps: number): number {
  return steps * Math.ceil(pages / steps / PAGES_A_PART);
}
