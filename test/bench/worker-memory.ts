// How much memory the worker takes for a small and for a large export: `npm run bench -- worker-memory`. A worker that
// keeps something of every page would pass every test and end a long export out of memory.
import { cpus, totalmem } from 'node:os';
import { type MeasuredExport, measureExport } from './measured-export.ts';

const SMALL = 100_000;
const LARGE = 1_000_000;
/** The default of an export. */
const PER_PAGE = 100;
/** Ten times the customers may not take a fifth more memory. */
const MAX_GROWTH = 0.2;
const BYTES_PER_MIB = 1024 * 1024;
const BYTES_PER_GIB = 1024 ** 3;

const small = await measured(SMALL);
const large = await measured(LARGE);
const growth = large.peakMemoryBytes / small.peakMemoryBytes - 1;
const problems = [
  ...problemsOf(SMALL, small),
  ...problemsOf(LARGE, large),
  ...(growth < MAX_GROWTH
    ? []
    : [`The peak grew by ${percent(growth)}, expected below ${percent(MAX_GROWTH)}.`]),
];

process.stdout.write(`
${row('customers', 'peak', 'configured', 'wall time', 'pages', 'parts', 'invocations')}
${rowOf(SMALL, small)}
${rowOf(LARGE, large)}

Growth of the peak: ${percent(growth)}. ${PER_PAGE} customers a page, no rate limit.
Node ${process.version}, ${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), ${(totalmem() / BYTES_PER_GIB).toFixed(1)} GiB.
Command: npm run bench -- worker-memory
${problems.map((problem) => `FAILED: ${problem}\n`).join('')}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function measured(customers: number): Promise<MeasuredExport> {
  process.stderr.write(`Exporting ${customers.toLocaleString('en-US')} customers\n`);
  return measureExport(customers, PER_PAGE);
}

function problemsOf(customers: number, { state, failures, ...measured }: MeasuredExport): string[] {
  const { peakMemoryBytes, configuredMemoryBytes } = measured;
  const name = customers.toLocaleString('en-US');
  const isOver = peakMemoryBytes > configuredMemoryBytes;
  return [
    ...(state.status === 'completed' && state.counters.customers === customers
      ? []
      : [`The export of ${name} ended ${state.status} with ${state.counters.customers}.`]),
    ...(failures === 0 ? [] : [`The worker failed ${failures} times in the export of ${name}.`]),
    ...(isOver ? [`The peak for ${name} is over the configured memory.`] : []),
  ];
}

function rowOf(customers: number, measured: MeasuredExport): string {
  const { state, peakMemoryBytes, configuredMemoryBytes, wallMs, invocations } = measured;
  return row(
    customers.toLocaleString('en-US'),
    mib(peakMemoryBytes),
    mib(configuredMemoryBytes),
    `${(wallMs / 1000).toFixed(1)} s`,
    String(state.counters.pages),
    String(state.parts.count),
    String(invocations),
  );
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(11)).join('  ');
}

function mib(bytes: number): string {
  return `${(bytes / BYTES_PER_MIB).toFixed(0)} MiB`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
