// What an export takes and costs by the memory of the worker, so by its share of a processor:
// `npm run bench -- memory-size`. In the style of aws-lambda-power-tuning, without AWS.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICES } from '../../infra/cost/prices.ts';
import { readBenchOptions } from './bench-options.ts';
import { median, publish, runsText } from './bench-report.ts';
import { bundleExporter, type Exporter } from './exporter-process.ts';
import { PER_PAGE, type PeerCase } from './peers/cases.ts';
import { CONTENDERS, OUR_VERIFIED } from './peers/contenders.ts';
import { type Measured, measureContender } from './peers/measure-contender.ts';

/** Memory at which Lambda gives one processor (developer guide, "Configure function memory"). */
const MIB_A_PROCESSOR = 1769;
const SIZES_MIB = [256, 512, 768, 1024, 1769];
const MIB_PER_GIB = 1024;
const BYTES_PER_MIB = 1024 * 1024;

const CASES: readonly PeerCase[] = [
  {
    name: 'none',
    title: '20 ms latency, no limit',
    pages: 1000,
    limit: { kind: 'none' },
    latencyMs: 20,
    ideal: '',
    seconds: 7,
  },
  {
    name: 'rate',
    title: '20 ms latency, 50 requests a second, which it is told',
    pages: 300,
    limit: { kind: 'token-bucket', ratePerSecond: 50, burst: 10 },
    latencyMs: 20,
    told: { text: '50 a second', requestsPerSecond: 50 },
    ideal: '',
    seconds: 8,
  },
];

const { runs, write } = readBenchOptions('memory-size', 5);
const seconds = CASES.reduce((sum, each) => sum + each.seconds * SIZES_MIB.length * runs, 0);
process.stderr.write(`About ${Math.ceil(seconds / 60)} minutes.\n`);
const bundles = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
try {
  const ours = bundleExporter('ours', bundles);
  const rows = [];
  for (const peerCase of CASES) {
    const measured = new Map<number, Measured[]>(SIZES_MIB.map((mib) => [mib, []]));
    for (let run = 0; run < runs; run++) {
      for (const [mib, all] of measured) all.push(await measureSize(ours, peerCase, mib, run));
    }
    rows.push(...[...measured].map(([mib, all]) => rowOf(peerCase, mib, all)));
  }
  publish(
    {
      name: 'memory-size',
      command: 'npm run bench -- memory-size',
      tables: [
        {
          title: 'One export by memory size of the worker',
          head: [
            'limit',
            'MiB',
            'share of a processor',
            'wall s',
            'pages a second',
            'CPU ms a page',
            'peak RSS MB',
            'USD a million customers',
          ],
          rows: rows.map((row) => [
            row.title,
            String(row.mib),
            row.share.toFixed(3),
            (row.wallMs / 1000).toFixed(1),
            row.pagesASecond.toFixed(0),
            row.cpuMsAPage.toFixed(2),
            row.peakMib.toFixed(0),
            row.usdAMillion.toFixed(5),
          ]),
        },
      ],
      notes: [
        `${runsText(runs)}. The process gets its share by being stopped when it has used it up; the start of Node is limited too, which Lambda does not do.`,
        `Lambda time alone, at ${PRICES.lambdaGbSecond} USD a GB and second (${PRICES.asOf}). AWS's own clients are not in it: they add a request or two a second.`,
      ],
      results: rows,
    },
    write,
  );
} finally {
  rmSync(bundles, { recursive: true, force: true });
}

async function measureSize(
  exporter: Exporter,
  peerCase: PeerCase,
  mib: number,
  run: number,
): Promise<Measured> {
  const name = peerCase.told === undefined ? 'ours' : 'ours, rate stated';
  const contender = CONTENDERS.find((each) => each.name === name);
  if (contender === undefined) throw new Error(`There is no exporter ${name}.`);
  const once = { ...contender, rows: [OUR_VERIFIED] };
  const cpuShare = Math.min(1, mib / MIB_A_PROCESSOR);
  const [measured] = await measureContender(once, peerCase, run, exporter, cpuShare);
  if (measured === undefined) throw new Error('Nothing was measured.');
  process.stderr.write(`${peerCase.name}, ${mib} MiB: ${(measured.wallMs / 1000).toFixed(1)} s\n`);
  return measured;
}

function rowOf({ title, pages }: PeerCase, mib: number, measured: readonly Measured[]) {
  const of = (read: (each: Measured) => number) => median(measured.map(read));
  const wallMs = of((each) => each.wallMs);
  const gbSeconds = (wallMs / 1000) * (mib / MIB_PER_GIB);
  return {
    title,
    mib,
    share: Math.min(1, mib / MIB_A_PROCESSOR),
    wallMs,
    pagesASecond: (pages * 1000) / wallMs,
    cpuMsAPage: of((each) => each.cpuMs) / pages,
    peakMib: of((each) => each.peakMemoryBytes) / BYTES_PER_MIB,
    usdAMillion: (gbSeconds * PRICES.lambdaGbSecond * 1_000_000) / (pages * PER_PAGE),
  };
}
