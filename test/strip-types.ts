import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

/** jest's transform: takes the types away as Node does when it runs a .ts file, so tests run what ships. */
export default {
  process: (source: string) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source: string) =>
    createHash('sha256').update(process.version).update(source).digest('hex'),
};
