import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../infra/constructs/foundation/bundled-code.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'functions');
const BYTES_PER_KIB = 1024;

/** A deployed function, bundled as it is deployed. */
export interface FunctionBundle {
  /** Name of its file in `functions/` without the ending. */
  readonly name: string;
  readonly code: Uint8Array;
  readonly kib: number;
  /** The packages in it, such as `@aws-sdk/client-sqs`; sorted. */
  readonly packages: readonly string[];
  /** Our own files in it; sorted. */
  readonly sources: readonly string[];
}

/** The files in `functions/` that export a handler. */
export function deployedFunctions(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /^export const handler\b/m.test(readFileSync(join(FOLDER, file), 'utf8')))
    .map((file) => file.slice(0, -'.ts'.length));
}

export function bundleFunction(name: string): FunctionBundle {
  const result = buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [join(FOLDER, `${name}.ts`)],
    absWorkingDir: ROOT,
    outfile: `${name}.mjs`,
    metafile: true,
    write: false,
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error(`esbuild made no file of ${name}.`);
  const { contents: code } = file;
  const kib = code.length / BYTES_PER_KIB;
  const used = filesIn(result.metafile);
  return { name, code, kib, packages: packagesIn(used), sources: used.filter(isOurs).sort() };
}

/** Those of which something is left after tree shaking. */
function filesIn({ outputs }: NonNullable<BuildResult['metafile']>): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

function packagesIn(files: readonly string[]): readonly string[] {
  const names = files.flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

function isOurs(path: string): boolean {
  return /^(lib|functions)\//.test(path);
}
