// What each step of a page costs, beside the least that the same bytes cost alone: `npm run bench -- page-steps`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { readBenchOptions } from './bench-options.ts';
import { publish, runsText } from './bench-report.ts';
import { bundleExporter, outputOf } from './exporter-process.ts';
import { startSimulatorProcess } from './simulator-process.ts';
import { spread } from './spread.ts';

const PAGES = 300;
const PER_PAGE = 100;
const [API_PROCESSOR, WORK_PROCESSOR] = [0, 1];
const NO_LIMIT = [
  '--rate=none',
  `--customers=${PAGES * PER_PAGE}`,
  `--max-per-page=${PER_PAGE}`,
  '--latency=0',
];

const StepsSchema = v.array(
  v.object({ step: v.string(), micros: v.number(), least: v.string(), leastMicros: v.number() }),
);

const { runs, write } = readBenchOptions('page-steps', 5);
const folder = await mkdtemp(join(tmpdir(), 'page-steps-'));
const faults = join(folder, 'faults.json');
await writeFile(faults, JSON.stringify([{ fault: { kind: 'gzip' } }]));
const plainApi = await startSimulatorProcess(NO_LIMIT, API_PROCESSOR);
const gzipApi = await startSimulatorProcess([...NO_LIMIT, `--faults=${faults}`], API_PROCESSOR);
try {
  const steps = bundleExporter('page-steps', folder);
  const found: v.InferOutput<typeof StepsSchema>[] = [];
  for (let run = 0; run < runs; run++) {
    // A process of its own for each API: Node trusts the authorities that it is started with.
    const parts: v.InferOutput<typeof StepsSchema> = [];
    for (const [api, isCompressed] of [[plainApi, false] as const, [gzipApi, true] as const]) {
      const task = { baseUrl: api.url, pages: PAGES, perPage: PER_PAGE, isCompressed };
      const output = await outputOf(steps, task, { ca: api.ca, processor: WORK_PROCESSOR });
      parts.push(...v.parse(StepsSchema, JSON.parse(output)));
    }
    found.push(parts);
  }
  publish(
    {
      name: 'page-steps',
      command: 'npm run bench -- page-steps',
      tables: [
        {
          title: 'CPU time of each step, µs a customer',
          head: ['step', 'ours', 'the least', 'ours / least', 'the least is'],
          rows: (found[0] ?? []).map((_, at) => rowOf(found.flatMap((steps) => steps[at] ?? []))),
        },
      ],
      notes: [
        `Pages of ${PER_PAGE} customers, each step alone, over ${PAGES} different pages again and again, so with all code compiled. ${runsText(runs)}; all threads of the process count.`,
      ],
      results: found,
    },
    write,
  );
} finally {
  await Promise.all([plainApi.stop(), gzipApi.stop()]);
  await rm(folder, { recursive: true, force: true });
}

function rowOf(runsOfStep: v.InferOutput<typeof StepsSchema>): readonly string[] {
  const ours = spread(runsOfStep.map(({ micros }) => micros / PER_PAGE)).median;
  const least = spread(runsOfStep.map(({ leastMicros }) => leastMicros / PER_PAGE)).median;
  const [first] = runsOfStep;
  return [
    first?.step ?? '',
    ours.toFixed(2),
    least.toFixed(2),
    (ours / least).toFixed(2),
    first?.least ?? '',
  ];
}
