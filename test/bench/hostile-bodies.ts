// What hostile answers within `maxBodyBytes` cost, each met by a fresh process with the function's heap:
// `npm run bench -- hostile-bodies`. Fails when one costs more than its bounds.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { bundleExporter, outputOf } from './exporter-process.ts';
import { startHostileApi } from './hostile-bodies/server.ts';
import { type HostileShape, SHAPES } from './hostile-bodies/shapes.ts';

/** Above the process that has met good answers only. */
const MAX_PEAK_BYTES = 160_000_000;
const MAX_CPU_MS_A_MB = 100;
/** Of what may go into the ledger, an event or a log line. */
const MAX_KEPT_BYTES = 32_768;
const BYTES_PER_MB = 1e6;
/** The default of `maxBodyBytes`: nothing beyond it is read. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const WAYS = ['export', 'records', 'live read', 'read check', 'list check', 'write'];
/** An error is met in the same way wherever a page or a resource was asked for. */
const WAYS_OF_ERRORS = ['export', 'write'];

const CostSchema = v.object({
  cpuMs: v.number(),
  idleBytes: v.number(),
  peakBytes: v.number(),
  keptBytes: v.number(),
  kept: v.string(),
});

interface Met extends v.InferOutput<typeof CostSchema> {
  readonly shape: string;
  readonly way: string;
  readonly bodyBytes: number;
}

const { runs, only, write } = readBenchOptions('hostile-bodies', 1, {
  ways: WAYS,
  shapes: SHAPES.map(({ title }) => title),
});
const folder = await mkdtemp(join(tmpdir(), 'hostile-bodies-'));
const api = await startHostileApi(folder);
try {
  const reader = bundleExporter('hostile-reader', folder);
  const met: Met[] = [];
  for (const shape of SHAPES) {
    if (only['shapes']?.includes(shape.title) === false) continue;
    const bodyBytes = Math.min(api.serve(shape), MAX_BODY_BYTES);
    for (const way of waysOf(shape)) {
      for (let run = 0; run < runs; run++) {
        const output = await outputOf(reader, { baseUrl: api.url, way }, { ca: api.ca });
        const cost = v.parse(CostSchema, JSON.parse(output));
        met.push({ shape: shape.title, way, bodyBytes, ...cost });
      }
    }
    const worst = worstOf(met.filter((each) => each.shape === shape.title));
    process.stderr.write(`${rowOf(worst).join('  ')}\n`);
  }
  const problems = met.flatMap(problemsOf);
  const titles = [...new Set(met.map(({ shape }) => shape))];
  publish(
    {
      name: 'hostile-bodies',
      command: 'npm run bench -- hostile-bodies',
      tables: [
        {
          title: `${titles.length} hostile answers`,
          head: ['answer', 'MB', 'peak RSS MB above idle', 'CPU ms a MB', 'bytes kept'],
          rows: titles.map((title) => rowOf(worstOf(met.filter(({ shape }) => shape === title)))),
        },
      ],
      notes: [
        `Each answer comes over TLS, to a fresh process with the heap and the settings of the worker. ${WAYS.length} ways to meet it are measured (${WAYS.join(', ')}; of errors ${WAYS_OF_ERRORS.join(' and ')}), and the most of each is shown. The bounds are ${MAX_PEAK_BYTES / BYTES_PER_MB} MB, ${MAX_CPU_MS_A_MB} ms a MB and ${MAX_KEPT_BYTES} bytes.`,
      ],
      results: met,
    },
    write,
  );
  for (const problem of problems) process.stdout.write(`FAILED: ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  api.stop();
  await rm(folder, { recursive: true, force: true });
}

function waysOf({ status = 200 }: HostileShape): readonly string[] {
  const ways = status < 300 ? WAYS : WAYS_OF_ERRORS;
  return ways.filter((way) => only['ways']?.includes(way) !== false);
}

/** The most of everything, in whatever way it was met. */
function worstOf(met: readonly Met[]) {
  const most = (read: (each: Met) => number) => Math.max(...met.map(read));
  return {
    title: met[0]?.shape ?? '',
    bodyBytes: most((each) => each.bodyBytes),
    peakBytes: most(aboveIdle),
    cpuMsAMb: most(cpuMsAMb),
    keptBytes: most((each) => each.keptBytes),
  };
}

function rowOf({ title, bodyBytes, peakBytes, cpuMsAMb, keptBytes }: ReturnType<typeof worstOf>) {
  return [
    title,
    (bodyBytes / BYTES_PER_MB).toFixed(1),
    (peakBytes / BYTES_PER_MB).toFixed(0),
    cpuMsAMb.toFixed(0),
    String(keptBytes),
  ];
}

function problemsOf(met: Met): string[] {
  const { shape, way, keptBytes } = met;
  const tell = (figure: number, unit: string, most: number) =>
    figure <= most ? [] : [`${shape}, ${way}: ${figure.toFixed(0)} ${unit}, at most ${most}`];
  return [
    ...tell(aboveIdle(met) / BYTES_PER_MB, 'MB', MAX_PEAK_BYTES / BYTES_PER_MB),
    ...tell(cpuMsAMb(met), 'ms a MB', MAX_CPU_MS_A_MB),
    ...tell(keptBytes, 'bytes kept', MAX_KEPT_BYTES),
  ];
}

function aboveIdle({ peakBytes, idleBytes }: Met): number {
  return Math.max(0, peakBytes - idleBytes);
}

function cpuMsAMb({ cpuMs, bodyBytes }: Met): number {
  return cpuMs / Math.max(1, bodyBytes / BYTES_PER_MB);
}
