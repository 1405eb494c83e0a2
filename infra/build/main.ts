// `npm run build`: what the package has besides its compiled sources.
import { join } from 'node:path';
import { sealBuild } from './built-sources.ts';
import { buildCommonjs } from './commonjs.ts';
import { nameCompiledFiles } from './declarations.ts';
import { freshBundles } from './fresh-bundles.ts';
import { ROOT } from './root.ts';

nameCompiledFiles(join(ROOT, 'dist'));
await Promise.all([freshBundles(), buildCommonjs()]);
sealBuild();
