import * as v from 'valibot';
import { peakMemoryBytes } from './task.ts';

/** Pages to read by one protocol, as the benchmark tells a process. */
const ReadSchema = v.object({
  /** What the paths of the pages stand below. */
  url: v.string(),
  pages: v.number(),
  concurrency: v.number(),
  /** For the program that speaks several. */
  protocol: v.optional(v.picklist(['http/1.1', 'http/2', 'http/2 wide']), 'http/1.1'),
});
export type Read = v.InferOutput<typeof ReadSchema>;

/** What such a process tells at its end, of the time in which it read pages. */
export const ReadUsageSchema = v.object({
  wallMs: v.number(),
  cpuMs: v.number(),
  peakMemoryBytes: v.number(),
  connections: v.number(),
  /** Of the answers, such as `2.0`. */
  httpVersion: v.string(),
});
export type ReadUsage = v.InferOutput<typeof ReadUsageSchema>;

/** What the server says of an answer; its body is read. */
export interface AnswerHead {
  readonly connections: unknown;
  readonly httpVersion: unknown;
}

const MICROS_PER_MS = 1000;

export function readTask(): Read {
  return v.parse(ReadSchema, JSON.parse(process.argv[2] ?? ''));
}

/** The first page alone, as an export asks for it, then as many at the same time as the task says. */
export async function readPages(
  { url, pages, concurrency }: Read,
  read: (url: string) => Promise<AnswerHead>,
): Promise<void> {
  const before = process.cpuUsage();
  const beginMs = performance.now();
  const head = await read(`${url}/1`);
  const { httpVersion } = head;
  let connections = Number(head.connections);
  let next = 2;
  const readSome = async () => {
    while (next <= pages) {
      const answer = await read(`${url}/${next++}`);
      connections = Math.max(connections, Number(answer.connections));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, readSome));
  const wallMs = performance.now() - beginMs;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / MICROS_PER_MS;
  const usage = { wallMs, cpuMs, peakMemoryBytes: peakMemoryBytes(), connections, httpVersion };
  process.stdout.write(`${JSON.stringify(usage)}\n`, () => process.exit());
}
