import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleFunction, deployedFunctions } from './bundle-function.ts';
import { digestOf } from './digest.ts';
import { licensesOf } from './licenses.ts';
import { ROOT } from './root.ts';

/** File beside the bundles that says what they were made of. */
const SEAL = 'sources';

export interface BundleFolder {
  /** Gets `<function>/index.mjs` for each function, and the licenses of what is in them. */
  readonly directory: string;
  /** Files and folders: when anything in them changes, the bundles are made anew. */
  readonly sources: readonly string[];
  /** Names of files in `functions/` without their ending. */
  readonly functions: readonly string[];
}

/** Where the construct takes the code of its functions from (`infra/constructs/foundation/lambda-function.ts`). */
const BUNDLE_FOLDER: BundleFolder = {
  directory: join(ROOT, 'dist/bundles'),
  sources: [
    // esbuild reads tsconfig.json and package.json too, such as its `sideEffects`.
    ...['lib', 'functions', 'infra/build', 'tsconfig.json', 'package.json'],
    ...['package-lock.json', 'node_modules/.package-lock.json'],
  ].map((name) => join(ROOT, name)),
  functions: deployedFunctions(),
};

/**
 * Bundles the deployed functions, unless the bundles that are there were made of the files that are here now.
 * Whoever synthesizes in the repository calls this first, so that no function is deployed or tested as it was
 * some time ago.
 */
export async function freshBundles(folder: BundleFolder = BUNDLE_FOLDER): Promise<void> {
  const { directory, sources, functions } = folder;
  const seal = join(directory, SEAL);
  const fileOf = (name: string) => join(directory, name, 'index.mjs');
  const made = digestOf(sources);
  if (readIfThere(seal) === made && functions.map(fileOf).every(existsSync)) return;
  const bundles = await Promise.all(functions.map(bundleFunction));
  // A source that was changed meanwhile is in them or not, and another process may have stored those with it.
  if (digestOf(sources) !== made) return freshBundles(folder);
  rmSync(seal, { force: true });
  for (const { name, code } of bundles) put(fileOf(name), code);
  put(join(directory, 'LICENSES.txt'), licensesOf(bundles.flatMap(({ files }) => files)));
  removeOthers(folder);
  put(seal, made);
}

/** Those of functions that are no more. */
function removeOthers({ directory, functions }: BundleFolder): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || functions.includes(entry.name)) continue;
    rmSync(join(directory, entry.name), { recursive: true });
  }
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Another process that makes the same bundles at the same time, or reads them, never sees half a file. */
function put(file: string, content: Uint8Array | string): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}-${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, file);
}
