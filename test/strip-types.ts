import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

/** Globals that no test replaces. */
const GLOBALS = (
  'Array ArrayBuffer Atomics BigInt BigUint64Array Boolean Buffer DataView Error Float64Array Int32Array JSON Map Math ' +
  'Number Object Promise Reflect RegExp Set String Symbol Uint16Array Uint32Array Uint8Array WeakMap WeakSet'
).split(' ');

/**
 * Each use of a global in a suite asks the context that jest made for it, which takes as long as a hundred other steps
 * of a loop. So a module has those that it uses as variables of its own.
 */
function withOwnGlobals(code: string): string {
  const used = GLOBALS.filter(
    (name) =>
      new RegExp(`(?<![.\\w'"$-])${name}\\b`).test(code) &&
      // Not one that it declares or imports under this name.
      !new RegExp(
        `\\b(?:as|class|const|function|import|let|var)\\s+${name}\\b|[{,]\\s*${name}\\s*[,}]`,
      ).test(code),
  );
  return used.length === 0 ? code : `const { ${used.join(', ')} } = globalThis; ${code}`;
}

/** jest's transform: takes the types away as Node does when it runs a .ts file, so tests run what ships. */
export default {
  process: (source: string) => ({ code: withOwnGlobals(stripTypeScriptTypes(source)) }),
  getCacheKey: (source: string) =>
    [process.version, GLOBALS.join(), String(withOwnGlobals), source]
      .reduce((hash, text) => hash.update(`${text.length} ${text}`), createHash('sha256'))
      .digest('hex'),
};
