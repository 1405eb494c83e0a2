import type { BilledUnits } from '../../infra/cost/billed-units.ts';
import { nextWindow } from '../../lib/customers-api/walks/next-window.ts';

export type CostedLimit =
  | { readonly kind: 'none' }
  /** The export's pace keeps the rate without a throttle. */
  | { readonly kind: 'rate'; readonly requestsPerSecond: number }
  /** A burst uses up the window; the wait for the next window costs nothing. */
  | { readonly kind: 'window'; readonly requests: number; readonly windowSeconds: number };

export interface CostedExport {
  readonly customers: number;
  readonly perPage: number;
  readonly limit: CostedLimit;
  readonly latencyMs: number;
  readonly memoryMiB: number;
}

export interface ExpectedExport {
  readonly units: BilledUnits;
  /** Those of a verified walk of a list that does not move. */
  readonly pages: number;
  /** Invocations of the worker. */
  readonly steps: number;
  readonly durationSeconds: number;
}

/** CPU time for a page of 100 customers, TLS and compression included, ms (npm run bench -- memory-size). */
const CPU_MS_A_PAGE = 1.6;
/** Memory at which Lambda gives one vCPU (developer guide, "Configure function memory"). */
const MIB_A_PROCESSOR = 1769;
/** Pages in flight without a known rate (lib/exports/pages-in-flight.ts). */
const PAGES_IN_FLIGHT = 8;
/** Of the pages in flight at the end of a window, about half are throttled (counted: 10 to 14 in three windows). */
const THROTTLES_A_WINDOW = 4;
/** The worker's timeout, minus the time to store the last part. */
const STEP_SECONDS = 290;
/** Start of the function, claim and commit: billed for every step. */
const STEP_OVERHEAD_SECONDS = 0.5;
/** The function of a trigger: half a GiB for about a third of a second, with its start. */
const START_GB_SECONDS = 0.17;
/** The report on it: a GiB with 0.6 of a processor, for its start and for each page (npm run bench -- describe). */
const REPORT_GB_SECONDS = 0.5;
const REPORT_GB_SECONDS_A_PAGE = 0.0007;
const PAGES_A_PART = 500;
/** Once per export and one unit each: add and delete the active export, add to the history. */
const INDEX_WRITES = 3;
const MIB_PER_GIB = 1024;

/** The expected cost of a triggered export, from its steps and parts; `npm run bench -- cost` checks it. */
export function expectedExport(asked: CostedExport): ExpectedExport {
  const plainPages = Math.max(1, Math.ceil(asked.customers / asked.perPage));
  const pages = Math.ceil(plainPages * pagesForOne(asked.perPage, plainPages));
  const { busySeconds, durationSeconds, steps, throttles } = courseOf(asked, pages);
  const parts = partsOf(pages, steps);
  const workerSeconds = busySeconds + steps * STEP_OVERHEAD_SECONDS;
  const units: BilledUnits = {
    lambdaGbSeconds:
      START_GB_SECONDS +
      (workerSeconds * asked.memoryMiB) / MIB_PER_GIB +
      REPORT_GB_SECONDS +
      plainPages * REPORT_GB_SECONDS_A_PAGE,
    // The start, the steps and the report.
    lambdaRequests: 2 + steps,
    // Each wake-up, and the event for the report, is sent, received and deleted.
    sqsRequests: 3 * steps + 3,
    // Counted: start and end of the export; records and commits of parts; claims, commits and marks of steps, 1
    // to 2 KB each; and each throttle in the gate. The local engine does not count index writes.
    dynamodbWriteUnits: 5 + INDEX_WRITES + 3 * parts + 4 * steps + throttles,
    // The gate is read every second.
    dynamodbReadUnits: 5 + 2 * steps + busySeconds,
    // Manifest, latest.json and the list of objects; two objects of the tables, the report and what names it.
    s3PutLike: parts + 7,
    // The parts, and beside them what is looked at before something is written.
    s3GetLike: parts + 8,
    secretsManagerCalls: steps,
    eventBridgeEvents: 1,
    schedulerInvocations: 0,
    httpApiRequests: 0,
  };
  return { units, pages, steps, durationSeconds };
}

/** So many show how many pages share how much. */
const PLANNED_PAGES = 100;

/** Pages that share records with their neighbours, for each page of one pass. */
function pagesForOne(perPage: number, plainPages: number): number {
  const rows = Math.min(plainPages, PLANNED_PAGES) * perPage;
  let covered = perPage;
  let pages = 1;
  while (covered < rows) {
    const window = nextWindow(covered, perPage);
    if (window === undefined) return 1;
    covered = window.start + window.size;
    pages++;
  }
  return (pages * perPage) / rows;
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

/** Each step stores its records in a part when it ends. */
function partsOf(pages: number, steps: number): number {
  return steps * Math.ceil(pages / steps / PAGES_A_PART);
}
