import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { DEMO_KEY } from '../../../infra/local/simulator/options.ts';
import { limitCpu } from '../cpu-share.ts';
import { type Task, type Usage, UsageSchema } from '../exporters/task.ts';
import { startSimulatorProcess } from '../simulator-process.ts';
import { faultsOf, PER_PAGE, type PeerCase } from './cases.ts';
import { compareOutput, type OutputCheck } from './compare-output.ts';
import type { Contender } from './contenders.ts';

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
 * @param bundles Folder with the bundled exporters.
 * @param cpuShare Of one processor, for the exporter. @default 1, and more if there is more
 */
export async function measureContender(
  contender: Contender,
  peerCase: PeerCase,
  run: number,
  bundles: string,
  cpuShare = 1,
): Promise<readonly Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  const measured: Measured[] = [];
  try {
    for (const row of contender.rows) {
      measured.push(await measureRow(row, contender, peerCase, run, { bundles, folder, cpuShare }));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return measured;
}

interface Surroundings {
  readonly bundles: string;
  /** For files of this contender. */
  readonly folder: string;
  readonly cpuShare: number;
}

async function measureRow(
  row: string,
  { script, knowsRate, storesRecords }: Contender,
  peerCase: PeerCase,
  run: number,
  { bundles, folder, cpuShare }: Surroundings,
): Promise<Measured> {
  const faults = join(folder, 'faults.json');
  await writeFile(faults, faultsOf(peerCase));
  const customers = peerCase.pages * PER_PAGE;
  const api = await startSimulatorProcess([
    `--customers=${customers}`,
    `--max-per-page=${PER_PAGE}`,
    `--faults=${faults}`,
    ...peerCase.simulator(run),
  ]);
  try {
    const out = join(folder, row);
    await mkdir(out);
    const { requestsPerSecond } = peerCase;
    const usage = await runProcess(join(bundles, `${script}.mjs`), api.ca, cpuShare, {
      baseUrl: api.url,
      perPage: PER_PAGE,
      out,
      concurrency: peerCase.concurrency,
      memory: join(folder, 'memory.json'),
      ...(knowsRate && requestsPerSecond !== undefined ? { requestsPerSecond } : {}),
    });
    const { requests, throttled: throttles, earlyRequests } = await api.log();
    const output = storesRecords ? { output: await compareOutput(out, await api.truth()) } : {};
    return { row, ...usage, requests, throttles, early: earlyRequests.length, ...output };
  } finally {
    await api.stop();
  }
}

async function runProcess(
  script: string,
  ca: string,
  cpuShare: number,
  task: Task,
): Promise<Usage> {
  const child = spawn(process.execPath, [script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: ca, CUSTOMERS_API_KEY: DEMO_KEY },
  });
  const unlimit = child.pid === undefined ? () => {} : limitCpu(child.pid, cpuShare);
  const [out, problem, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  unlimit();
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${problem.slice(-1000)}`);
  return v.parse(UsageSchema, JSON.parse(out));
}
