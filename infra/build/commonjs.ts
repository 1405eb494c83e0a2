import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { copyDeclarations } from './declarations.ts';
import { ROOT } from './root.ts';

const DIST = join(ROOT, 'dist');
const COMMONJS = join(DIST, 'commonjs');
/** Packages without CommonJS, so they come along. All others are asked for where the package is installed. */
const WITHOUT_COMMONJS = /^(ky|@middy\/.+)$/;
/** In the code as in `dist/commonjs`, which has no folders. */
const PLACE = { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' } as const;

/** The ways into the package that can be required: name of the file in `dist/commonjs`, source. */
const ENTRIES = {
  index: 'lib/index.ts',
  lambda: 'functions/index.ts',
  infra: 'infra/index.ts',
} as const;

const OPTIONS = {
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  absWorkingDir: ROOT,
} as const satisfies BuildOptions;

/**
 * Makes what `require` gets, out of what `tsc` has put into `dist`: code and declarations. The ways in share their
 * files, so that a class of one is the same class in another.
 */
export async function buildCommonjs(): Promise<void> {
  // esbuild shares files between entries only in ES modules, which become CommonJS one by one.
  const shared = join(DIST, 'shared');
  const { metafile } = await build({
    ...OPTIONS,
    bundle: true,
    splitting: true,
    format: 'esm',
    mainFields: ['module', 'main'],
    entryPoints: ENTRIES,
    outdir: shared,
    metafile: true,
    plugins: [
      { name: 'packages', setup: ({ onResolve }) => onResolve({ filter: /^[^.]/ }, isOut) },
    ],
  });
  const files = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  await build({ ...OPTIONS, define: PLACE, format: 'cjs', entryPoints: files, outdir: COMMONJS });
  rmSync(shared, { recursive: true });
  writeFileSync(join(COMMONJS, 'package.json'), '{ "type": "commonjs" }\n');
  const declarations = Object.values(ENTRIES).map((path) => path.replace(/\.ts$/, '.d.ts'));
  copyDeclarations(DIST, COMMONJS, declarations);
}

function isOut({ path, kind }: { readonly path: string; readonly kind: string }) {
  return kind === 'entry-point' || WITHOUT_COMMONJS.test(path) ? undefined : { external: true };
}
