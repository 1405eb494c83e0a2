import Module, { createRequire } from 'node:module';

/** As far as it is read; the CDK keeps it on the global object. */
interface TokenMap {
  readonly stringTokenMap: Map<string, object>;
  readonly numberTokenMap: Map<number, object>;
}

/** Of the CDK's modules themselves, such as the ones of the pseudo parameters: every suite needs them. */
const ofModules = new Set<object>();

const tokenMap = (): TokenMap | undefined => Reflect.get(globalThis, '__cdkTokenMap');

const strings = (): TokenMap['stringTokenMap'] => tokenMap()?.stringTokenMap ?? new Map();

/** Watches what modules of CommonJS register while they are loaded. Call it once, before any of the CDK is there. */
export function watchTokens(): void {
  const load: (...args: unknown[]) => unknown = Reflect.get(Module, '_load');
  Reflect.set(Module, '_load', function loadWatched(this: unknown, ...args: unknown[]) {
    const before = strings().size;
    try {
      return Reflect.apply(load, this, args);
    } finally {
      // Nearly all modules register none, and there may be thousands of a suite's.
      if (strings().size > before) {
        for (const token of [...strings().values()].slice(before)) ofModules.add(token);
      }
    }
  });
}

const require = createRequire(import.meta.url);

/**
 * The CDK keeps every token for as long as the process runs, and so every stack that was ever made: some 10 MB a suite.
 * No suite needs those of another one.
 */
export function forgetTokens(): void {
  const map = tokenMap();
  if (map === undefined) return;
  for (const tokens of [map.stringTokenMap, map.numberTokenMap]) forgetIn<unknown>(tokens);
  for (const [path, loaded] of Object.entries(require.cache)) {
    if (path.endsWith('/core/lib/private/cfn-reference.js')) {
      loaded?.exports.CfnReference.referenceTable.clear();
    }
  }
}

function forgetIn<Key>(tokens: Map<Key, object>): void {
  for (const [key, token] of tokens) if (!ofModules.has(token)) tokens.delete(key);
}
