// Peak memory of steps for a short and for a hundred times longer list, each in a process of its own that
// goes through all steps: `node test/bench/step-memory.ts [--runs=5]`. Pages are small, so that it takes minutes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exportList } from './export-list.ts';
import { bundleExporter } from './exporter-process.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

const PAGES = [1_000, 100_000];
const PER_PAGE = 10;
/** Of one process that went through all steps. */
const MAX_PEAK_BYTES = 160_000_000;
/** A hundred times the pages may not take a tenth more memory. */
const MAX_GROWTH = 0.1;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
const folder = await mkdtemp(join(tmpdir(), 'step-memory-'));
try {
  const worker = bundleExporter('ours', folder);
  const peaks: number[] = [];
  for (const pages of PAGES) {
    const api = await startApi({ customers: pages * PER_PAGE, perPage: PER_PAGE });
    const usages = [];
    try {
      for (let run = 0; run < runs; run++) {
        usages.push(await exportList(worker, api, { pages, perPage: PER_PAGE }));
      }
    } finally {
      await api.stop();
    }
    const peak = spread(usages.map(({ peakMemoryBytes }) => peakMemoryBytes));
    const cpuMs = spread(usages.map((usage) => usage.cpuMs / pages)).median;
    peaks.push(peak.median);
    process.stdout.write(
      `${pages.toLocaleString('en-US').padStart(9)} pages of ${PER_PAGE}: peak ${megabytes(peak.median)} (${megabytes(peak.least)} to ${megabytes(peak.most)}), CPU ${cpuMs.toFixed(2)} ms a page, ${runs} runs\n`,
    );
  }
  const [first = 0, last = 0] = peaks;
  const growth = last / first - 1;
  const problems = [
    ...(Math.max(...peaks) < MAX_PEAK_BYTES ? [] : [`expected below ${megabytes(MAX_PEAK_BYTES)}`]),
    ...(growth < MAX_GROWTH ? [] : [`grew by ${(growth * 100).toFixed(0)} %`]),
  ];
  for (const problem of problems) process.stdout.write(`FAILED: the peak ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
