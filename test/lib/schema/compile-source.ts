import { spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const OPTIONS = [
  ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--ignoreConfig', '--skipLibCheck'],
  ...['--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', ''],
];

/** A folder for generated source, with the packages of the project; whoever asked for it removes it. */
export function sourceFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'generated-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}

/** What the compiler says of files in a folder; nothing when they are right. */
export function compilerProblems(folder: string, files: readonly string[]): string {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const run = spawnSync(process.execPath, [compiler, '--singleThreaded', ...OPTIONS, ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  return run.stdout + run.stderr;
}
