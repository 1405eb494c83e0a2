import { readFileSync } from 'node:fs';
import * as v from 'valibot';

/** What a contender is to do: export all customers of an API to files in a folder. */
export interface Work {
  readonly baseUrl: string;
  readonly key: string;
  readonly pages: number;
  readonly perPage: number;
  readonly out: string;
}

/** What one process took from its start to the end of its work. */
export interface Usage {
  readonly customers: number;
  /** User and system time. */
  readonly cpuMs: number;
  /** Time of the work alone, without the start of the process. */
  readonly wallMs: number;
  readonly peakMemoryBytes: number;
}

const WorkSchema = v.object({
  baseUrl: v.string(),
  key: v.string(),
  pages: v.number(),
  perPage: v.number(),
  out: v.string(),
});

const BYTES_PER_KIB = 1024;
const MICROS_PER_MS = 1000;

/** Does the work that stands on standard input and tells on standard output what it took. */
export async function contend(doWork: (work: Work) => Promise<number>): Promise<void> {
  const work = v.parse(WorkSchema, JSON.parse(readFileSync(0, 'utf8')));
  const startedMs = performance.now();
  const customers = await doWork(work);
  const wallMs = performance.now() - startedMs;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage: Usage = {
    customers,
    cpuMs: (userCPUTime + systemCPUTime) / MICROS_PER_MS,
    wallMs,
    peakMemoryBytes: maxRSS * BYTES_PER_KIB,
  };
  process.stdout.write(`${JSON.stringify(usage)}\n`);
}
