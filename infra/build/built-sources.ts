import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from './digest.ts';
import { ROOT } from './root.ts';

/** Says what `dist` was built of; not packed. */
const SEAL = join(ROOT, 'dist/sources');
const SOURCES = [
  ...['lib', 'functions', 'infra', 'tsconfig.json', '.tsconfig.build.json'],
  // esbuild and TypeScript read `sideEffects` and `type` there.
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json'],
].map((name) => join(ROOT, name));

export function sourcesDigest(): string {
  return digestOf(SOURCES);
}

/** @param made Of the sources as they were before the build began: a file may have been changed meanwhile. */
export function sealBuild(made: string): void {
  writeFileSync(SEAL, made);
}

/** While a build is put into `dist`, it is of no sources. */
export function unsealBuild(): void {
  rmSync(SEAL, { force: true });
}

/** @throws Error when `dist` was built of other sources, or not at all. */
export function checkBuild(): void {
  if (existsSync(SEAL) && readFileSync(SEAL, 'utf8') === sourcesDigest()) return;
  throw new Error('The package was built of other sources: run "npm run build" first.');
}
