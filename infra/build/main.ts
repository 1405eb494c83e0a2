// `npm run build` makes what the package has besides its sources, unless it is there already. It makes it in a folder
// beside `dist`, since tests may read `dist` meanwhile.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLES, isBuilt, sealBuild, sourcesDigest, unsealBuild } from './built-sources.ts';
import { buildCommonjs } from './commonjs.ts';
import { nameCompiledFiles } from './declarations.ts';
import { freshBundles } from './fresh-bundles.ts';
import { moveInto } from './move-into.ts';
import { ROOT } from './root.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const made = sourcesDigest();
if (isBuilt(made)) await freshBundles();
else await build();

async function build(): Promise<void> {
  const folder = mkdtempSync(join(ROOT, '.build-'));
  try {
    const compiling = [TSC, '-p', '.tsconfig.build.json', '--singleThreaded', '--outDir', folder];
    execFileSync(process.execPath, compiling, { cwd: ROOT, stdio: 'inherit' });
    nameCompiledFiles(folder);
    await Promise.all([freshBundles(), buildCommonjs(folder)]);
    unsealBuild();
    moveInto(join(ROOT, 'dist'), folder, [BUNDLES]);
    sealBuild(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
