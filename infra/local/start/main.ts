import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { CACHE_DIRECTORY } from '../cache-directory.ts';

// Files and folders that this process and those that it starts make are for this user alone.
process.umask(0o077);

// What this process and those that it starts have compiled is read again by the next start.
process.env['NODE_COMPILE_CACHE'] ??= join(CACHE_DIRECTORY, 'compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

const { runStart } = await import('./run-start.ts');
await runStart(process.argv.slice(2));
