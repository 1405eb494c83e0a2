import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { groupBy } from '../../lib/group-by.ts';
import { ROOT } from './root.ts';

const PackageSchema = v.object({ name: v.string(), version: v.string(), license: v.string() });

const LINE = `\n${'-'.repeat(78)}\n`;

/**
 * The licenses of the packages that are bundled, which their authors ask for beside every copy. Each text stands once.
 *
 * @param files From the root of the repository; those outside of `node_modules` are ours.
 */
export function licensesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  const byText = groupBy([...new Set(folders)].sort(), textIn);
  return [...byText].map(([text, of]) => `${of.map(titleOf).join('\n')}\n\n${text}`).join(LINE);
}

function titleOf(folder: string): string {
  const manifest = readFileSync(join(ROOT, folder, 'package.json'), 'utf8');
  const { name, version, license } = v.parse(PackageSchema, JSON.parse(manifest));
  return `${name} ${version}, ${license}`;
}

/** Some packages only name their license. */
function textIn(folder: string): string {
  const file = readdirSync(join(ROOT, folder)).find((entry) =>
    /^(licen[cs]e|copying)/i.test(entry),
  );
  return file === undefined ? '' : `${readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n`;
}
