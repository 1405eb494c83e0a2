import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { COMPRESSIONS } from '../../../lib/exports/compression.ts';

const TaskSchema = v.object({
  baseUrl: v.string(),
  perPage: v.number(),
  pages: v.exactOptional(v.number()),
  /** Folder for the files. */
  out: v.string(),
  /** The API's rate, for exporters that are told it. */
  requestsPerSecond: v.exactOptional(v.number()),
  /** The API's limits, for exporters that are told them. @default none */
  toldLimits: v.exactOptional(v.array(v.object({ requests: v.number(), perMs: v.number() }))),
  /** For ours. @default as deployed: verified */
  walk: v.exactOptional(v.picklist(['verified', 'fast'])),
  /** For ours. @default as deployed: gzip */
  compression: v.exactOptional(v.picklist(COMPRESSIONS)),
  /** Requests at the same time, for exporters that take it. */
  concurrency: v.number(),
  /** 0 to 9, for exporters that take it. @default 1, as our own parts have */
  gzipLevel: v.exactOptional(v.number()),
  /** File that outlives an export, for exporters that remember something. */
  memory: v.string(),
});

/** One export to make, as the benchmark tells an exporter's process. */
export type Task = v.InferOutput<typeof TaskSchema>;

/** What an exporter's process tells of itself at its end. */
export const UsageSchema = v.object({
  /** From the start of the process. */
  wallMs: v.number(),
  /** Without the start of the process: since it read its task. */
  workMs: v.number(),
  /** User and system time since the start of the process. */
  cpuMs: v.number(),
  peakMemoryBytes: v.number(),
});
export type Usage = v.InferOutput<typeof UsageSchema>;

const MICROS_PER_MS = 1000;
const BYTES_PER_KIB = 1024;

let taskReadMs = 0;

export function readTask(): Task {
  taskReadMs = performance.now();
  return v.parse(TaskSchema, JSON.parse(process.argv[2] ?? ''));
}

/** The key, which no argument holds. */
export function readKey(): string {
  return process.env['CUSTOMERS_API_KEY'] ?? '';
}

/** Tells what this process used since its start, and ends it. */
export function tellUsage(): void {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const nowMs = performance.now();
  const usage: Usage = {
    wallMs: nowMs,
    workMs: nowMs - taskReadMs,
    cpuMs: (userCPUTime + systemCPUTime) / MICROS_PER_MS,
    peakMemoryBytes: peakMemoryBytes(),
  };
  process.stdout.write(`${JSON.stringify(usage)}\n`);
}

/** Of this process alone on Linux, where the maximum of `process.resourceUsage` is at least that of the parent. */
export function peakMemoryBytes(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kib) * BYTES_PER_KIB;
}
