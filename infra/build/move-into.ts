import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn } from './digest.ts';

/**
 * Moves all files of a folder into another one on the same disk, then removes what else is there. Who reads that folder
 * meanwhile never misses a file, and never sees half of one.
 *
 * @param stays Names in the folder, or below a folder of this name, that are not touched.
 */
export function moveInto(target: string, from: string, stays: readonly string[]): void {
  const files = filesIn(from);
  for (const name of files) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    renameSync(join(from, name), join(target, name));
  }
  rmSync(from, { recursive: true });
  const kept = new Set(files);
  const isKept = (name: string) => kept.has(name) || stays.includes(name.split(/[\\/]/)[0] ?? '');
  for (const name of filesIn(target)) if (!isKept(name)) rmSync(join(target, name));
}
