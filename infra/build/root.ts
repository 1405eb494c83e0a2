import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** For what can be made again at any time. Git ignores it, and it is as trusted as the modules beside it. */
export const CACHE_DIRECTORY = join(ROOT, 'node_modules/.cache/customers-functions');
