import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { copyDeclarations } from './declarations.ts';
import { licensesOf } from './licenses.ts';
import { ROOT } from './root.ts';

/** Packages without CommonJS, so they come along. All others are asked for where the package is installed. */
const WITHOUT_COMMONJS = /^(ky|@middy\/.+|@faker-js\/.+)$/;
/** Imported for what it does: `tsyringe`, which makes certificates, looks for it. */
const FOR_ITS_EFFECT = /^reflect-metadata$/;
/** In the code as in `dist/commonjs`, which has no folders. */
const PLACE = { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' } as const;

/** Each group shares its files, so that a class of one way in is the same class in another. */
const GROUPS = [
  { index: 'lib/index.ts', lambda: 'functions/index.ts' },
  // Apart: it needs no SDK, so it must not load one.
  { infra: 'infra/index.ts' },
  // Apart too: only tests load it.
  { testing: 'infra/testing.ts' },
] as const;

const OPTIONS = {
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  absWorkingDir: ROOT,
} as const satisfies BuildOptions;

/**
 * Makes what `require` gets, in `commonjs` below this folder: from the sources, and from the declarations that `tsc` has
 * put into this folder.
 */
export async function buildCommonjs(folder: string): Promise<void> {
  const commonjs = join(folder, 'commonjs');
  const bundled: string[] = [];
  for (const entries of GROUPS) bundled.push(...(await buildGroup(entries, commonjs)));
  writeFileSync(join(commonjs, 'LICENSES.txt'), licensesOf(bundled));
  writeFileSync(join(commonjs, 'package.json'), '{ "type": "commonjs" }\n');
  const sources = GROUPS.flatMap((entries) => Object.values(entries));
  copyDeclarations(
    folder,
    commonjs,
    sources.map((path) => path.replace(/\.ts$/, '.d.ts')),
  );
}

/**
 * esbuild shares files between entries only in ES modules, so these become CommonJS one by one.
 *
 * @returns The files that went in, from the root of the repository.
 */
async function buildGroup(
  entryPoints: Readonly<Record<string, string>>,
  commonjs: string,
): Promise<readonly string[]> {
  const shared = join(commonjs, '../shared');
  const { metafile } = await build({
    ...OPTIONS,
    bundle: true,
    splitting: true,
    format: 'esm',
    mainFields: ['module', 'main'],
    entryPoints,
    outdir: shared,
    metafile: true,
    plugins: [
      { name: 'packages', setup: ({ onResolve }) => onResolve({ filter: /^[^.]/ }, isOut) },
    ],
  });
  const files = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  await build({ ...OPTIONS, define: PLACE, format: 'cjs', entryPoints: files, outdir: commonjs });
  rmSync(shared, { recursive: true });
  return Object.keys(metafile.inputs);
}

function isOut({ path, kind }: { readonly path: string; readonly kind: string }) {
  return kind === 'entry-point' || WITHOUT_COMMONJS.test(path)
    ? undefined
    : { external: true, sideEffects: FOR_ITS_EFFECT.test(path) };
}
