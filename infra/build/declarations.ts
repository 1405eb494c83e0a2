import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A file that a declaration imports. */
const IMPORT = /(?:from |import\()['"](\.[^'"]+)['"]/g;

/** Lets declarations name the files that are there: `tsc` leaves the `.ts` of the sources in them. */
export function nameCompiledFiles(folder: string): void {
  for (const name of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(IMPORT, (all) => all.replace(/\.ts(?=['"])/, '.js')),
    );
  }
}

/**
 * Copies declarations, with those that they import, for CommonJS: a declaration has the format of the folder that
 * it is in.
 *
 * @param entries Names in the folder, such as `lib/index.d.ts`.
 */
export function copyDeclarations(from: string, to: string, entries: readonly string[]): void {
  const names = new Set(entries);
  for (const name of names) {
    const text = readFileSync(join(from, name), 'utf8');
    for (const [, imported = ''] of text.matchAll(IMPORT)) {
      names.add(relative(from, join(from, dirname(name), imported.replace(/\.js$/, '.d.ts'))));
    }
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), forCommonjs(text));
  }
}

/** Types of a package without CommonJS are there for ES modules only. */
function forCommonjs(text: string): string {
  return text.replace(
    /^(import|export) (?:type )?([^;]+ from '(?:ky|@middy\/[^']+)');$/gm,
    "$1 type $2 with { 'resolution-mode': 'import' };",
  );
}
