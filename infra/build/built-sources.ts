import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from './digest.ts';
import { ROOT } from './root.ts';

/** Says what `dist` was built of; not packed. */
const SEAL = join(ROOT, 'dist/sources');
const SOURCES = [
  ...['lib', 'functions', 'infra', 'tsconfig.json', '.tsconfig.build.json'],
  ...['package-lock.json', 'node_modules/.package-lock.json'],
].map((name) => join(ROOT, name));

export function sealBuild(): void {
  writeFileSync(SEAL, digestOf(SOURCES));
}

/** @throws Error when `dist` was built of other sources, or not at all. */
export function checkBuild(): void {
  if (existsSync(SEAL) && readFileSync(SEAL, 'utf8') === digestOf(SOURCES)) return;
  throw new Error('The package was built of other sources: run "npm run build" first.');
}
