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
