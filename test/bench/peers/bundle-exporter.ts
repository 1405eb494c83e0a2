import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../../infra/constructs/bundled-code.ts';

/** Bundles an exporter as the functions are bundled: all start in the same way. */
export function bundleExporter(script: string, folder: string): void {
  buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [join(import.meta.dirname, '../exporters', `${script}.ts`)],
    outfile: join(folder, `${script}.mjs`),
    // Some of the peers' dependencies are CommonJS and call require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}
