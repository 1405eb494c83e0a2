import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { digestOf } from './digest.ts';
import { ROOT } from './root.ts';

const DIST = join(ROOT, 'dist');
/** The bundles have a seal of their own. */
export const BUNDLES = 'bundles';
/** Name of the file that says what `dist` was built of, and what the build made; not packed. */
const SEAL = 'sources';
const SOURCES = [
  ...['lib', 'functions', 'infra', 'tsconfig.json', '.tsconfig.build.json'],
  // esbuild and TypeScript read `sideEffects` and `type` there.
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json'],
].map((name) => join(ROOT, name));

export function sourcesDigest(): string {
  return digestOf(SOURCES);
}

/** @param made Of the sources as they were before the build began: a file may have been changed meanwhile. */
export function sealBuild(made: string, dist = DIST): void {
  writeFileSync(join(dist, SEAL), sealOf(made, dist));
}

/** While a build is put into `dist`, it is of no sources. */
export function unsealBuild(): void {
  rmSync(join(DIST, SEAL), { force: true });
}

/** Whether `dist` is what a build of these sources has made: no file is missing, changed or besides. */
export function isBuilt(made: string, dist = DIST): boolean {
  const seal = join(dist, SEAL);
  return existsSync(seal) && readFileSync(seal, 'utf8') === sealOf(made, dist);
}

/** @throws Error when `dist` was built of other sources, or not at all. */
export function checkBuild(): void {
  if (isBuilt(sourcesDigest())) return;
  throw new Error('The package was built of other sources: run "npm run build" first.');
}

function sealOf(made: string, dist: string): string {
  const isLeftOut = (name: string) => name === SEAL || name.split(sep)[0] === BUNDLES;
  return `${made} ${digestOf([dist], { isLeftOut })}`;
}
