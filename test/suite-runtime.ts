import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  createRequire,
  type ResolveFnOutput,
  registerHooks,
  stripTypeScriptTypes,
} from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CACHE_DIRECTORY } from '../infra/build/root.ts';

const require = createRequire(import.meta.url);
// By `require`, since its types and its ESM disagree about what the default export is.
const { default: JestRuntime }: typeof import('jest-runtime') = require('jest-runtime');

// The CDK would check each template against CloudFormation's rules, which takes ten times as long as all
// else of a synthesis. `npm run synth` does it for the stack that is deployed.
process.env['CDK_VALIDATION'] = 'false';
// Nor does any suite read where each construct was made, and what the CDK would tell AWS of them.
process.env['CDK_CONTEXT_JSON'] = JSON.stringify({
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:version-reporting': false,
});

// What the programs that suites start have compiled is read again by the next ones.
process.env['NODE_COMPILE_CACHE'] ??= join(CACHE_DIRECTORY, 'compiled');

const root = pathToFileURL(join(import.meta.dirname, '..')).href;

/** What may keep something for as long as its process runs: each suite gets it anew. The others are loaded once. */
const OF_SUITE = new RegExp(`^${root}/(test|functions)/`);

/** Where the module with the functions of jest for the running suite finds them. */
const JEST = Symbol.for('suite-runtime.jest');

let suite = 0;

/** What keeps Node's list of the modules that it has loaded as ESM. */
const ESM_LOADER = 'internal/modules/esm/loader';

interface EsmLoader {
  getOrInitializeCascadedLoader(): { readonly loadCache: { delete(url: string): void } };
}

/**
 * Node keeps each module for as long as it runs, and so all that a suite ever held: a worker would grow by a megabyte a
 * suite, and each collection take longer than the one before. Only `--expose-internals` shows the list.
 */
function forget(url: string): void {
  if (!process.execArgv.includes('--expose-internals')) return;
  const { getOrInitializeCascadedLoader }: EsmLoader = require(ESM_LOADER);
  getOrInitializeCascadedLoader().loadCache.delete(url);
}

/** What the running suite has loaded for itself. */
const loaded: string[] = [];

/** Where each import of a package leads, and what is left of a file without its types: the same for every suite. */
const resolved = new Map<string, ResolveFnOutput>();
const stripped = new Map<string, string>();

/** To take the types away is a third of what a worker loads for. The next one, and the next run, finds what is left. */
const STRIPPED = join(CACHE_DIRECTORY, 'stripped');
mkdirSync(STRIPPED, { recursive: true, mode: 0o700 });

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const ofParent = /\?suite=\d+$/.exec(parentURL)?.[0];
    // Sources name the file: there is nothing to look for.
    if (/^\..*\.ts$/.test(specifier) && parentURL.startsWith(root)) {
      const { href } = new URL(specifier, parentURL);
      const isNew = ofParent !== undefined && OF_SUITE.test(href);
      return { url: isNew ? `${href}${ofParent}` : href, format: 'module', shortCircuit: true };
    }
    if (ofParent === undefined) return next(specifier, context);
    if (specifier === '@jest/globals') {
      return { url: `jest:globals${ofParent}`, format: 'module', shortCircuit: true };
    }
    const importing = `${specifier} ${parentURL.slice(0, -ofParent.length)}`;
    const found = resolved.get(importing) ?? { ...next(specifier, context), shortCircuit: true };
    resolved.set(importing, found);
    return found;
  },
  load(url, context, next) {
    if (/\?suite=\d+$/.test(url)) loaded.push(url);
    const [file = ''] = url.split('?', 1);
    if (file.startsWith(root) && file.endsWith('.ts')) {
      const source = stripped.get(file) ?? sourceOf(file);
      stripped.set(file, source);
      return { format: 'module', source, shortCircuit: true };
    }
    if (!url.startsWith('jest:')) return next(url, context);
    const source = `export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } =
      globalThis[Symbol.for('${JEST.description}')];`;
    return { format: 'module', source, shortCircuit: true };
  },
});

function sourceOf(file: string): string {
  const source = readFileSync(fileURLToPath(file), 'utf8');
  const kept = join(STRIPPED, hash('sha256', `${process.version} ${source}`));
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const code = stripTypeScriptTypes(source);
    // No other worker ever reads half of it.
    const unfinished = `${kept}-${process.pid}`;
    writeFileSync(unfinished, code);
    renameSync(unfinished, kept);
    return code;
  }
}

/**
 * jest's runtime of one suite, which Node loads. By itself jest loads every module anew for every suite, without what
 * the engine has learned of its code.
 */
export default class SuiteRuntime extends JestRuntime {
  /** jest asks for what runs the tests of a suite, which has a state. */
  override requireInternalModule<T = unknown>(path: string): T {
    delete require.cache[path];
    // One `require` would keep all that it has ever loaded, and with it the suites of before.
    return createRequire(import.meta.url)(path);
  }

  override unstable_shouldLoadAsEsm() {
    return true;
  }

  override async unstable_importModule(path: string): Promise<unknown> {
    suite += 1;
    Reflect.set(globalThis, JEST, super.requireModuleOrMock(path, '@jest/globals'));
    return import(`${pathToFileURL(path).href}?suite=${suite}`);
  }

  /** Lets go of all that was loaded for this suite alone. */
  override teardown(): void {
    super.teardown();
    Reflect.deleteProperty(globalThis, JEST);
    for (const url of loaded.splice(0)) forget(url);
  }
}
