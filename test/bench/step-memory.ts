// Peak memory of steps for a short list and for longer ones, each in a process of its own that goes through all
// steps: `npm run bench -- step-memory`. Pages are small, so that it takes minutes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish, runsText } from './bench-report.ts';
import { exportList } from './export-list.ts';
import { bundleExporter } from './exporter-process.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

const PAGES = [1_000, 10_000, 100_000];
const PER_PAGE = 10;
/** Of one process that went through all steps. */
const MAX_PEAK_BYTES = 160_000_000;
/**
 * Ten times the pages may not take a tenth more memory. The shortest list is left out of that: it is over before the
 * heap has the size that it keeps.
 */
const MAX_GROWTH = 0.1;

const { runs, write } = readBenchOptions('step-memory', 5);
const folder = await mkdtemp(join(tmpdir(), 'step-memory-'));
try {
  const worker = bundleExporter('ours', folder);
  const peaks: number[] = [];
  const rows: string[][] = [];
  const results = [];
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
    rows.push([
      `${pages.toLocaleString('en-US')} pages of ${PER_PAGE}`,
      megabytes(peak.median),
      `${megabytes(peak.least)} to ${megabytes(peak.most)}`,
      cpuMs.toFixed(2),
    ]);
    results.push({ pages, usages });
  }
  const [, middle = 0, longest = 0] = peaks;
  const growth = longest / middle - 1;
  const problems = [
    ...(Math.max(...peaks) < MAX_PEAK_BYTES
      ? []
      : [`is not below ${megabytes(MAX_PEAK_BYTES)} MB`]),
    ...(growth < MAX_GROWTH ? [] : [`grew by ${(growth * 100).toFixed(0)} %`]),
  ];
  publish(
    {
      name: 'step-memory',
      command: 'npm run bench -- step-memory',
      tables: [
        {
          title: 'One process that goes through all steps of an export',
          head: ['list', 'peak RSS MB', 'min to max', 'ms CPU a page'],
          rows,
        },
      ],
      notes: [
        `${runsText(runs)}, with the memory settings that the worker is deployed with, no latency and no limit.`,
      ],
      results,
    },
    write,
  );
  for (const problem of problems) process.stdout.write(`FAILED: the peak ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
