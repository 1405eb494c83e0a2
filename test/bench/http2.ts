// Pages read over HTTP/1.1 and over HTTP/2 from the same server: `npm run bench -- http2`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { readBenchOptions } from './bench-options.ts';
import { publish, runsText } from './bench-report.ts';
import { bundleExporter, type Exporter, outputOf } from './exporter-process.ts';
import { type ReadUsage, ReadUsageSchema } from './exporters/read-pages.ts';
import { protocolTable, type ReadGroup } from './http2/protocol-table.ts';
import { READERS, type Reader } from './http2/readers.ts';
import { installPackages } from './install-packages.ts';
import { type ApiProcess, startServer } from './start-api.ts';

/** Round trips. */
const LATENCIES_MS = [0, 20, 150];
/** One after the other, and what ours comes to without a limit as the latency grows. */
const AT_ONCE = [1, 8, 32, 120];
/** About as long as a run takes. */
const SECONDS = 2;
/** About what a processor each lets server and client do. */
const PAGES_A_SECOND = 800;
/** So that each connection is used again. */
const LEAST_ROUNDS = 4;
const [SERVER_PROCESSOR, CLIENT_PROCESSOR] = [0, 1];
const SERVER = new URL('./http2/page-server.ts', import.meta.url).pathname;

const { runs, only, write } = readBenchOptions('http2', 3, {
  latencies: LATENCIES_MS.map(String),
  'at-once': AT_ONCE.map(String),
});
const isWanted = (choice: string) => (value: number) => only[choice]?.includes(String(value));
const installed = installPackages('test/bench/exporters/peers');
if (installed.kind === 'not-installed')
  throw new Error(`undici could not be installed: ${installed.why}`);

const folder = await mkdtemp(join(tmpdir(), 'bench-http2-'));
try {
  const bundled = (script: string) => bundleExporter(script, folder, [installed.nodeModules]);
  const programs = new Map(READERS.map(({ script }) => [script, bundled(script)]));
  const tables = [];
  const results = [];
  for (const latencyMs of LATENCIES_MS.filter(isWanted('latencies'))) {
    const words = [SERVER, String(latencyMs), join(folder, `ca-${latencyMs}.pem`)];
    const server = await startServer(words, SERVER_PROCESSOR);
    const groups: ReadGroup[] = [];
    try {
      for (const atOnce of AT_ONCE.filter(isWanted('at-once'))) {
        const pages = pagesOf(latencyMs, atOnce);
        process.stderr.write(`${latencyMs} ms, ${atOnce} at the same time\n`);
        groups.push({ atOnce, pages, usages: await measure(server, { atOnce, pages }, programs) });
      }
    } finally {
      await server.stop();
    }
    tables.push(protocolTable(`Round trips of ${latencyMs} ms`, groups));
    results.push({
      latencyMs,
      groups: groups.map(({ usages, ...group }) => ({
        ...group,
        usages: [...usages].map(([{ title }, each]) => ({ title, usages: each })),
      })),
    });
  }
  publish(
    {
      name: 'http2',
      command: 'npm run bench -- http2',
      tables,
      notes: [
        `Pages of 53 KB, as many as take about ${SECONDS} s. ${runsText(runs)}, in turns; of the connections the most. The server, with the line before it, has one processor and the client the other one. CPU time is that of the whole client while it reads, its connections included: of few pages most is the begin.`,
      ],
      results,
    },
    write,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** In turns, so that all meet the same machine. */
async function measure(
  server: ApiProcess,
  { atOnce, pages }: Omit<ReadGroup, 'usages'>,
  programs: ReadonlyMap<string, Exporter>,
): Promise<ReadGroup['usages']> {
  const usages = new Map<Reader, ReadUsage[]>(READERS.map((reader) => [reader, []]));
  for (let run = 0; run < runs; run++) {
    for (const [at, reader] of READERS.entries()) {
      const program = programs.get(reader.script);
      if (program === undefined) throw new Error(`No ${reader.script}.`);
      const url = `${server.url}/run-${atOnce}-${run}-${at}`;
      const task = { url, pages, concurrency: atOnce, protocol: reader.protocol };
      const place = { ca: server.ca, processor: CLIENT_PROCESSOR };
      const output = await outputOf(program, task, place);
      const usage = v.parse(ReadUsageSchema, JSON.parse(output));
      if (usage.httpVersion !== reader.httpVersion) {
        throw new Error(`${reader.title} spoke HTTP/${usage.httpVersion}.`);
      }
      usages.get(reader)?.push(usage);
    }
  }
  return usages;
}

function pagesOf(latencyMs: number, atOnce: number): number {
  const rate = Math.min(PAGES_A_SECOND, (atOnce * 1000) / Math.max(1, latencyMs));
  return Math.ceil(Math.max(rate * SECONDS, atOnce * LEAST_ROUNDS));
}
