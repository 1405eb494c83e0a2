import { readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE_DIRECTORY } from '../../build/root.ts';

/**
 * Makes the place in the folder of a stack where its functions find what those of earlier stacks have compiled: half of
 * the CPU time of a process that starts. Node knows a file again by its path seen from there
 * (`NODE_COMPILE_CACHE_PORTABLE`), so the place is a link beside the functions, and by its content.
 *
 * @returns Its path. Where nothing can be kept, the functions of this stack share what they compile.
 */
export async function compileCacheIn(
  workDirectory: string,
  kept = join(CACHE_DIRECTORY, 'compiled-functions'),
): Promise<string> {
  const link = join(workDirectory, 'compile-cache');
  try {
    await mkdir(kept, { recursive: true, mode: 0o700 });
    // Of the kinds of links only Windows' junctions need no right of their own; elsewhere the kind says nothing.
    await symlink(kept, link, 'junction');
  } catch {
    // Node makes a folder of this name.
  }
  return link;
}

const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes what was compiled here and not read for 30 days: Node removes nothing. A system that notes no reads
 * (`noatime`) has it compiled once more.
 *
 * @param directory With the code that was compiled by this program, its tests and its functions.
 */
export function removeUnusedCode(directory = CACHE_DIRECTORY, nowMs = Date.now()): void {
  for (const name of ['compiled', 'compiled-functions', 'stripped']) {
    const path = join(directory, name);
    try {
      for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name);
        const found = entry.isFile() ? statSync(file, { throwIfNoEntry: false }) : undefined;
        if (found === undefined) continue;
        if (Math.max(found.atimeMs, found.mtimeMs) < nowMs - UNUSED_MS) rmSync(file);
      }
    } catch {
      // There is none, it is another user's, or another start removes it too.
    }
  }
}
