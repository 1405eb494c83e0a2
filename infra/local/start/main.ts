import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { CACHE_DIRECTORY } from '../../build/root.ts';

// Files and folders that this process and those that it starts make are for this user alone.
process.umask(0o077);

// What this process and those that it starts have compiled is read again by the next start.
process.env['NODE_COMPILE_CACHE'] ??= join(CACHE_DIRECTORY, 'compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

const [{ outliveClosedOutput }, { heedSignals }, { runStart }] = await Promise.all([
  import('../../command-line/closed-output.ts'),
  import('../../command-line/heed-signals.ts'),
  import('./run-start.ts'),
]);
outliveClosedOutput();
const interrupt = heedSignals();
const { stdout, stderr, stdin, env: environment } = process;
const surroundings = { stdout, stderr, stdin, environment, interrupt };
process.exitCode = await runStart(process.argv.slice(2), surroundings);
