import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../../lib/defined.ts';
import { type Exporter, runExporter } from '../exporter-process.ts';
import type { Task, Usage } from '../exporters/task.ts';
import { startSimulatorProcess } from '../simulator-process.ts';
import { AT_ONCE, faultsOf, PER_PAGE, type PeerCase, simulatorOptionsOf } from './cases.ts';
import { compareOutput, type OutputCheck } from './compare-output.ts';
import { type Contender, isOurs, OUR_VERIFIED } from './contenders.ts';

/** One export by one process. */
export interface Measured extends Usage {
  readonly row: string;
  readonly requests: number;
  readonly throttles: number;
  readonly early: number;
  /** Absent for an exporter that stores nothing. */
  readonly output?: OutputCheck;
}

/**
 * Lets a contender make its exports, each in a process of its own, each against the API anew.
 *
 * @param exporter The contender's script.
 * @param cpuShare Of one processor, for the exporter. @default 1, and more if there is more
 */
export async function measureContender(
  contender: Contender,
  peerCase: PeerCase,
  run: number,
  exporter: Exporter,
  cpuShare = 1,
): Promise<readonly Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  const measured: Measured[] = [];
  try {
    for (const row of contender.rows) {
      measured.push(
        await measureRow(row, contender, peerCase, run, { exporter, folder, cpuShare }),
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return measured;
}

interface Surroundings {
  readonly exporter: Exporter;
  /** For files of this contender. */
  readonly folder: string;
  readonly cpuShare: number;
}

async function measureRow(
  row: string,
  contender: Contender,
  peerCase: PeerCase,
  run: number,
  { exporter, folder, cpuShare }: Surroundings,
): Promise<Measured> {
  const faults = join(folder, 'faults.json');
  await writeFile(faults, faultsOf(peerCase));
  const customers = peerCase.pages * PER_PAGE;
  const api = await startSimulatorProcess([
    `--customers=${customers}`,
    `--max-per-page=${PER_PAGE}`,
    `--faults=${faults}`,
    ...simulatorOptionsOf(peerCase, run),
  ]);
  try {
    const out = join(folder, row);
    await mkdir(out);
    const task = {
      baseUrl: api.url,
      perPage: PER_PAGE,
      out,
      memory: join(folder, 'memory.json'),
      concurrency: AT_ONCE,
      // The others ask for each page once, too.
      walk: row === OUR_VERIFIED ? ('verified' as const) : ('fast' as const),
      ...(contender.isTold === true ? toldOf(contender, peerCase) : {}),
    };
    const usage = await runExporter(exporter, task, { ca: api.ca, cpuShare });
    const { requests, throttled: throttles, earlyRequests } = await api.log();
    const output =
      contender.isFloor === true ? {} : { output: await compareOutput(out, await api.truth()) };
    return { row, ...usage, requests, throttles, early: earlyRequests.length, ...output };
  } finally {
    await api.stop();
  }
}

/** What a contender gets that is told the limit. */
function toldOf(contender: Contender, { told }: PeerCase): Partial<Task> {
  const { requestsPerSecond, limits, atOnce } = told ?? {};
  if (isOurs(contender)) return defined({ requestsPerSecond });
  return defined({ toldLimits: limits?.map((each) => ({ ...each })), concurrency: atOnce });
}
