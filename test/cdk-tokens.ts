import Module, { createRequire } from 'node:module';

/** As far as it is read; the CDK keeps it on the global object. */
interface TokenMap {
  readonly stringTokenMap: Map<string, object>;
  readonly numberTokenMap: Map<number, object>;
}

/** Of the CDK's modules themselves, such as the ones of the pseudo parameters: every suite needs them. */
const ofModules = new Set<object>();

const tokenMap = (): TokenMap | undefined => Reflect.get(globalThis, '__cdkTokenMap');

/** Watches what modules of CommonJS register while they are loaded. Call it once, before any of the CDK is there. */
export function watchTokens(): void {
  let depth = 0;
  const load: (...args: unknown[]) => unknown = Reflect.get(Module, '_load');
  Reflect.set(Module, '_load', function loadWatched(this: unknown, ...args: unknown[]) {
    const before = depth === 0 ? tokenMap()?.stringTokenMap.size : undefined;
    depth++;
    try {
      return Reflect.apply(load, this, args);
    } finally {
      depth--;
      const tokens = depth === 0 ? tokenMap()?.stringTokenMap : undefined;
      if (tokens !== undefined && tokens.size > (before ?? 0)) {
        for (const token of [...tokens.values()].slice(before ?? 0)) ofModules.add(token);
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
