// CPU time a customer of our worker beside the plain ky loop's, in turns so that both meet the same machine:
// `node test/bench/cpu-per-customer.ts [--runs=7]`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exportList } from './export-list.ts';
import { bundleExporter } from './exporter-process.ts';
import type { Usage } from './exporters/task.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

const PAGES = 1_000;
const PER_PAGE = 100;
/** Of the plain loop: what one gets who sets none (`Z_DEFAULT_COMPRESSION`). Our worker has its own. */
const ZLIB_DEFAULT_LEVEL = 6;
const MICROS_PER_MS = 1000;
const BYTES_PER_MIB = 1024 * 1024;
const [API_PROCESSOR, WORK_PROCESSOR] = [0, 1];

const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const runs = Number(values.runs);
const folder = await mkdtemp(join(tmpdir(), 'cpu-per-customer-'));
const api = await startApi({
  customers: PAGES * PER_PAGE,
  perPage: PER_PAGE,
  processor: API_PROCESSOR,
});
try {
  const plain = bundleExporter('ky-loop', folder);
  const worker = bundleExporter('ours', folder);
  const work = { pages: PAGES, perPage: PER_PAGE, gzipLevel: ZLIB_DEFAULT_LEVEL };
  const usageOf = (exporter: typeof plain) => exportList(exporter, api, work, WORK_PROCESSOR);
  // The first run also makes the API's pages.
  await usageOf(plain);
  await usageOf(worker);
  const pairs: { readonly plain: Usage; readonly worker: Usage }[] = [];
  for (let run = 0; run < runs; run++) {
    pairs.push({ plain: await usageOf(plain), worker: await usageOf(worker) });
  }
  const ratio = spread(pairs.map((pair) => pair.worker.cpuMs / pair.plain.cpuMs));
  process.stdout.write(`
plain ky loop  ${rowOf(pairs.map((pair) => pair.plain))}
worker         ${rowOf(pairs.map((pair) => pair.worker))}
worker / plain ky loop, CPU: ${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}), ${runs} pairs
`);
} finally {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
}

function rowOf(usages: readonly Usage[]): string {
  const cpuMs = spread(usages.map((usage) => usage.cpuMs));
  const perCustomer = (ms: number) => ((ms * MICROS_PER_MS) / (PAGES * PER_PAGE)).toFixed(1);
  const memory = spread(usages.map((usage) => usage.peakMemoryBytes / BYTES_PER_MIB));
  const wallMs = spread(usages.map((usage) => usage.workMs));
  return `CPU ${perCustomer(cpuMs.median)} µs a customer (${perCustomer(cpuMs.least)} to ${perCustomer(cpuMs.most)}), peak ${memory.median.toFixed(0)} MiB, ${(wallMs.median / 1000).toFixed(2)} s`;
}
