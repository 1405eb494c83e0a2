// Our export beside what else one would take, in the same run, against the same simulated API:
// `npm run bench`. Every export is made by a process of its own; all are bundled in the same way.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBenchOptions } from './bench-options.ts';
import { type BenchTable, median, publish } from './bench-report.ts';
import { bundleExporter, type Exporter } from './exporter-process.ts';
import { installPackages } from './install-packages.ts';
import { CASES, PER_PAGE, type PeerCase } from './peers/cases.ts';
import { type Contender, contendersOf, GROUPS, SCRIPTS } from './peers/contenders.ts';
import { type Measured, measureContender } from './peers/measure-contender.ts';

const HEAD = [
  'exporter',
  'wall s',
  'x ideal',
  'µs CPU a customer',
  'peak RSS MB',
  'requests',
  'throttled',
  'early',
  'bytes changed',
  'ids wrong',
  'wall s, min to max',
] as const;
/** Apart enough that the bursts at the begin of overlapped runs do not meet. */
const STAGGER_MS = 2500;
const BYTES_PER_MIB = 1024 * 1024;
const FLOOR = 'undici, bytes only (floor)';

const options = readBenchOptions('peers', 5, {
  cases: CASES.map(({ name }) => name),
  exporters: GROUPS,
});
const { cases: names = [], exporters: groups = [] } = options.only;
const cases = CASES.filter(({ name }) => names.includes(name));
const seconds = cases.reduce((sum, { secondsARun }) => sum + secondsARun * options.runs, 0);
say(`${cases.length} cases, ${options.runs} runs each: about ${Math.ceil(seconds / 60)} minutes.`);

const installed = installPackages('test/bench/exporters/peers');
if (installed.kind === 'not-installed')
  throw new Error(`The peers could not be installed: ${installed.why}`);

const bundles = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
const exporters = new Map<string, Exporter>();
try {
  for (const script of SCRIPTS)
    exporters.set(script, bundleExporter(script, bundles, [installed.nodeModules]));
  const measured = new Map<PeerCase, readonly Measured[]>();
  for (const peerCase of cases) measured.set(peerCase, await measureCase(peerCase));
  publish(
    {
      name: 'peers',
      command: `npm run bench${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`,
      tables: cases.map((each) => tableOf(each, measured.get(each) ?? [])),
      notes: [
        `Medians of ${options.runs} runs. ${PER_PAGE} customers a page; TLS; gzip level 1 to disk; each export in a process of its own, whose start is included.`,
        'Early: requests before a Retry-After was over, by the log of the API. Ids wrong: numbers above 2^53 that lost digits.',
      ],
      results: cases.map((each) => ({
        case: each.name,
        pages: each.pages,
        runs: measured.get(each),
      })),
    },
    options.write,
  );
} finally {
  rmSync(bundles, { recursive: true, force: true });
}

async function measureCase(peerCase: PeerCase): Promise<readonly Measured[]> {
  const contenders = contendersOf(peerCase, groups);
  const turns = Array.from({ length: options.runs }, (_, run) =>
    contenders.map((contender) => ({ contender, run })),
  ).flat();
  if (peerCase.isOverlapped) {
    const overlapped = turns.map(async ({ contender, run }, index) => {
      await sleep(index * STAGGER_MS);
      return measureTurn(contender, peerCase, run);
    });
    return (await Promise.all(overlapped)).flat();
  }
  const measured: Measured[] = [];
  for (const { contender, run } of turns) {
    measured.push(...(await measureTurn(contender, peerCase, run)));
  }
  return measured;
}

async function measureTurn(contender: Contender, peerCase: PeerCase, run: number) {
  const exporter = exporters.get(contender.script);
  if (exporter === undefined) throw new Error(`${contender.script} was not bundled.`);
  const measured = await measureContender(contender, peerCase, run, exporter);
  for (const { row, wallMs, throttles } of measured) {
    say(`${peerCase.name}, run ${run + 1}, ${row}: ${inSeconds(wallMs)} s, ${throttles} throttled`);
  }
  return measured;
}

function tableOf(peerCase: PeerCase, measured: readonly Measured[]): BenchTable {
  const byRow = Map.groupBy(measured, ({ row }) => row);
  const floorMs = median((byRow.get(FLOOR) ?? []).map(({ wallMs }) => wallMs));
  const idealMs = peerCase.idealMs ?? floorMs;
  return {
    title: `${peerCase.title}: ${(peerCase.pages * PER_PAGE).toLocaleString('en-US')} customers. Ideal ${inSeconds(idealMs)} s: ${peerCase.ideal}`,
    head: HEAD,
    rows: [...byRow].map(([row, runs]) => rowOf(row, runs, idealMs, peerCase.pages * PER_PAGE)),
  };
}

function rowOf(
  row: string,
  runs: readonly Measured[],
  idealMs: number,
  customers: number,
): readonly string[] {
  const of = (read: (measured: Measured) => number) => median(runs.map(read));
  const walls = runs.map(({ wallMs }) => wallMs);
  const wallMs = median(walls);
  const outputs = runs.flatMap(({ output }) => output ?? []);
  const worst = (read: (output: (typeof outputs)[number]) => number) =>
    outputs.length === 0 ? '-' : `${Math.max(...outputs.map(read)).toLocaleString('en-US')}`;
  return [
    row,
    inSeconds(wallMs),
    (wallMs / idealMs).toFixed(2),
    of(({ cpuMs }) => (cpuMs * 1000) / customers).toFixed(1),
    of(({ peakMemoryBytes }) => peakMemoryBytes / BYTES_PER_MIB).toFixed(0),
    of(({ requests }) => requests).toFixed(0),
    of(({ throttles }) => throttles).toFixed(0),
    of(({ early }) => early).toFixed(0),
    worst(({ changedBytes }) => changedBytes),
    worst(({ wrongIds }) => wrongIds),
    `${inSeconds(Math.min(...walls))} to ${inSeconds(Math.max(...walls))}`,
  ];
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
