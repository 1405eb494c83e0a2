import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import * as v from 'valibot';
import { BUNDLE_OPTIONS } from '../../infra/build/bundle-function.ts';
import { type Spread, spread } from './spread.ts';
import { pinnedTo } from './start-api.ts';

/** What importing one file took, each time in a fresh process. */
export interface ImportTime {
  readonly kib: number;
  readonly importMs: Spread;
  /** With the call of the file's export `first`, if it has one. */
  readonly importAndFirstMs: Spread;
}

const ROOT = join(import.meta.dirname, '../..');
const BYTES_PER_KIB = 1024;
/** Small functions of Lambda have a share of one processor, so that nothing runs beside the import. */
const PROCESSOR = process.platform === 'linux' ? cpus().length - 1 : undefined;

const TimesSchema = v.object({ importMs: v.number(), importAndFirstMs: v.number() });
type Times = v.InferOutput<typeof TimesSchema>;

/** What every process of Lambda has, as far as an SDK client looks at it while it is made. */
const AWS_ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
};

const SCRIPT = `
const began = performance.now();
try {
  const { first } = await import(process.argv[2]);
  const importMs = performance.now() - began;
  await first?.();
  const importAndFirstMs = performance.now() - began;
  process.stdout.write(JSON.stringify({ importMs, importAndFirstMs }));
  process.exit(0);
} catch (error) {
  // The stack would quote a line of the bundle, which may be all of it.
  process.stderr.write(error.name + ': ' + error.message + '\\n');
  process.exit(1);
}
`;

/**
 * Bundles a program the way functions are.
 *
 * @param code With imports as from a file at the root of the repository.
 * @param more Instead of what functions are bundled with.
 */
export function bundleCode(code: string, more: BuildOptions = {}): Uint8Array {
  const stdin = { contents: code, resolveDir: ROOT };
  const { outputFiles } = buildSync({ ...BUNDLE_OPTIONS, ...more, stdin, write: false });
  const [file] = outputFiles ?? [];
  if (file === undefined) throw new Error('esbuild made no file.');
  return file.contents;
}

/**
 * Imports every bundle so often, in turns, each time in a process of its own on one processor. A round
 * before that, which reads the files from disk, does not count.
 *
 * @param environment Of these processes, besides that of every function.
 * @throws Error naming the bundle that cannot be imported.
 */
export function measureImports<Name extends string>(
  bundles: Readonly<Record<Name, Uint8Array>>,
  runs: number,
  environment: Readonly<Record<string, string>> = {},
): (name: Name) => ImportTime {
  // Below the repository, so that packages that are left out of a bundle are found.
  mkdirSync(join(ROOT, '.bench'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.bench/imports-'));
  const env = { PATH: process.env['PATH'], ...AWS_ENVIRONMENT, ...environment };
  try {
    const script = join(folder, 'import.mjs');
    writeFileSync(script, SCRIPT);
    const candidates = Object.entries<Uint8Array>(bundles).map(([name, code], index) => {
      const file = join(folder, `${index}.mjs`);
      writeFileSync(file, code);
      return { name, file, kib: code.length / BYTES_PER_KIB, times: [] as Times[] };
    });
    for (const { name, file } of candidates) importOnce(name, script, file, env);
    for (let run = 0; run < runs; run++) {
      process.stderr.write(`Run ${run + 1} of ${runs}\n`);
      for (const { name, file, times } of candidates) {
        times.push(importOnce(name, script, file, env));
      }
    }
    const measured = new Map(
      candidates.map(({ name, kib, times }) => [name, { kib, ...spreadsOf(times) }]),
    );
    return (name) => {
      const found = measured.get(name);
      if (found === undefined) throw new Error(`${name} was not measured.`);
      return found;
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function importOnce(name: string, script: string, file: string, env: NodeJS.ProcessEnv): Times {
  const program = [process.execPath, script, file];
  const [command = process.execPath, ...args] = [...pinnedTo(PROCESSOR), ...program];
  try {
    const output = execFileSync(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return v.parse(TimesSchema, JSON.parse(output.toString()));
  } catch (cause) {
    throw new Error(`${name} cannot be imported.`, { cause });
  }
}

function spreadsOf(times: readonly Times[]) {
  return {
    importMs: spread(times.map(({ importMs }) => importMs)),
    importAndFirstMs: spread(times.map(({ importAndFirstMs }) => importAndFirstMs)),
  };
}
