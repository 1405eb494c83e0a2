import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import * as v from 'valibot';
import type { Usage, Work } from './contenders/work.ts';
import { type ApiProcess, pinnedTo } from './start-api.ts';

const UsageSchema = v.object({
  customers: v.number(),
  cpuMs: v.number(),
  wallMs: v.number(),
  peakMemoryBytes: v.number(),
});

/** The worker's environment as it is deployed (infra/constructs/run-export-function.ts). */
export const WORKER_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_OPTIONS: '--max-semi-space-size=4',
};

/** A program that does the work, ready to be run. */
export interface Contender {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Bundles a contender the way functions are, so that none pays for the loading of many files. */
export async function bundleContender(
  name: string,
  folder: string,
  environment: Contender['environment'] = {},
): Promise<Contender> {
  const file = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [new URL(`./contenders/${name}.ts`, import.meta.url).pathname],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  return { file, environment };
}

/**
 * Runs a contender once, in a process and a folder of its own.
 *
 * @param processor That it runs on. @default any
 * @throws Error when it fails, or exports another number of customers.
 */
export async function runContender(
  { file, environment }: Contender,
  api: ApiProcess,
  work: Omit<Work, 'baseUrl' | 'out'>,
  processor?: number,
): Promise<Usage> {
  const out = await mkdtemp(join(tmpdir(), 'contender-'));
  try {
    const [command, ...args] = [...pinnedTo(processor), process.execPath, file];
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment, NODE_EXTRA_CA_CERTS: api.ca },
    });
    child.stdin.end(JSON.stringify({ ...work, baseUrl: api.url, out }));
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    if (code !== 0) throw new Error(`${file} ended with ${code}.`);
    const usage = v.parse(UsageSchema, JSON.parse(output));
    const expected = work.pages * work.perPage;
    if (usage.customers === expected) return usage;
    throw new Error(`${file} exported ${usage.customers} customers, expected ${expected}.`);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
