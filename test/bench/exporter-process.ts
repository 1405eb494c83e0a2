import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import * as v from 'valibot';
import { BUNDLE_OPTIONS } from '../../infra/build/bundle-function.ts';
import { WORKER_MEMORY_MIB } from '../../infra/constructs/exports/run-export-function.ts';
import { memoryEnvironment } from '../../infra/constructs/foundation/memory-environment.ts';
import { heapOptions } from '../../infra/local/lambda/function-process.ts';
import { DEMO_KEY } from '../../infra/simulator/options.ts';
import { limitCpu } from './cpu-share.ts';
import { type Task, type Usage, UsageSchema } from './exporters/task.ts';
import { pinnedTo } from './start-api.ts';

/** All have the heap that a function of the worker's size gives them. */
const [HEAP = ''] = heapOptions(WORKER_MEMORY_MIB);
/** Ours also have what the worker is deployed with. */
const OUR_SCRIPTS = ['ours', 'hostile-reader', 'part-reader', 'list-comparer'];
const OURS = memoryEnvironment(WORKER_MEMORY_MIB);

/** A program of test/bench/exporters, ready to be run. */
export interface Exporter {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ExporterSurroundings {
  /** File with the certificate of the API's authority. */
  readonly ca: string;
  /** Share of one processor that it may use. @default 1, and more if there is more */
  readonly cpuShare?: number;
  /** Processor that it runs on. @default any */
  readonly processor?: number;
}

/** CommonJS calls require: some of the peers' dependencies, and the SDK where it is not taken as a module. */
export const REQUIRE_BANNER = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
} as const;

/**
 * Bundles an exporter as the functions are bundled: all start in the same way.
 *
 * @param nodePaths Where packages are found that the repository does not have. @default []
 */
export function bundleExporter(script: string, folder: string, nodePaths: string[] = []): Exporter {
  const file = join(folder, `${script}.mjs`);
  buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [join(import.meta.dirname, 'exporters', `${script}.ts`)],
    outfile: file,
    banner: REQUIRE_BANNER,
    nodePaths,
  });
  return { file, environment: OUR_SCRIPTS.includes(script) ? OURS : { NODE_OPTIONS: HEAP } };
}

/**
 * Lets an exporter make one export, in a process of its own.
 *
 * @throws Error with what it wrote to standard error, when it fails.
 */
export async function runExporter(
  exporter: Exporter,
  task: Task,
  surroundings: ExporterSurroundings,
): Promise<Usage> {
  return v.parse(UsageSchema, JSON.parse(await outputOf(exporter, task, surroundings)));
}

/**
 * Runs a program with a task, in a process of its own.
 *
 * @returns What it wrote to standard output.
 * @throws Error with what it wrote to standard error, when it fails.
 */
export async function outputOf(
  { file, environment }: Exporter,
  task: object,
  { ca, cpuShare = 1, processor }: ExporterSurroundings,
): Promise<string> {
  const program = [process.execPath, file, JSON.stringify(task)];
  const [command = process.execPath, ...args] = [...pinnedTo(processor), ...program];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...environment,
      NODE_EXTRA_CA_CERTS: ca,
      CUSTOMERS_API_KEY: DEMO_KEY,
    },
  });
  const unlimit = child.pid === undefined ? () => {} : limitCpu(child.pid, cpuShare);
  const [out, problem, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  unlimit();
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${problem.slice(-1000)}`);
  return out;
}
