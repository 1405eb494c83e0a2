import * as v from 'valibot';

const TaskSchema = v.object({
  baseUrl: v.string(),
  perPage: v.number(),
  /** Folder for the files. */
  out: v.string(),
  /** The API's rate, for exporters that are told it. */
  requestsPerSecond: v.exactOptional(v.number()),
  /** Requests at the same time, for exporters that take it. */
  concurrency: v.number(),
  /** File that outlives an export, for exporters that remember something. */
  memory: v.string(),
});

/** One export to make, as the benchmark tells an exporter's process. */
export type Task = v.InferOutput<typeof TaskSchema>;

/** What an exporter's process tells of itself at its end. */
export const UsageSchema = v.object({
  wallMs: v.number(),
  cpuMs: v.number(),
  maxRssKib: v.number(),
});
export type Usage = v.InferOutput<typeof UsageSchema>;

export function readTask(): Task {
  return v.parse(TaskSchema, JSON.parse(process.argv[2] ?? ''));
}

/** The key, which no argument holds. */
export function readKey(): string {
  return process.env['CUSTOMERS_API_KEY'] ?? '';
}

/** Tells what this process used since its start, and ends it. */
export function tellUsage(): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage: Usage = {
    wallMs: performance.now(),
    cpuMs: (userCPUTime + systemCPUTime) / 1000,
    maxRssKib: maxRSS,
  };
  process.stdout.write(`${JSON.stringify(usage)}\n`);
}
