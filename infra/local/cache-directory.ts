import { join } from 'node:path';
import { ROOT } from '../build/root.ts';

/** For what can be made again at any time. Git ignores it, and it is as trusted as the modules beside it. */
export const CACHE_DIRECTORY = join(ROOT, 'node_modules/.cache/customers-functions');
