import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModuleMocker } from 'jest-mock';
import { forgetTokens, watchTokens } from './cdk-tokens.ts';

watchTokens();

/** What the suites of this process take for the folder of temporary files. The CDK keeps its path. */
const temporary = mkdtempSync(join(tmpdir(), 'worker-'));
Object.assign(process.env, { TMPDIR: temporary, TEMP: temporary });

/**
 * So jest describes the symbols under which it keeps, beside all globals, what it knows of the suite that runs. The
 * state, with all that its tests hold, has another symbol for each suite.
 */
const OF_JEST = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'JEST_STATE_SYMBOL'];

const { getBuiltinModule } = process;

/** The constructor's argument, as far as it is read. */
interface Configuration {
  readonly globalConfig: { readonly workerIdleMemoryLimit?: number | undefined };
}

/** How a module is called in a stack; see `test/suite-runtime.ts`. */
const MODULE = /file:\/\/(\/[^?:)\s]*)(?:\?suite=\d+)?(?=:\d+:\d)/g;

/**
 * jest's environment of one suite. jest would make a realm for each, with globals and packages of its own, where the
 * same code takes twice as long. Here a suite runs in the worker as it is, and leaves it behind as it was.
 */
export default class SuiteEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern = null;
  readonly #globals = Object.getOwnPropertyDescriptors(globalThis);
  readonly #variables = { ...process.env };
  readonly #folder = process.cwd();
  readonly #exit = process.exit;
  readonly #heapLimitBytes: number;

  constructor({ globalConfig }: Configuration) {
    this.#heapLimitBytes = globalConfig.workerIdleMemoryLimit ?? Number.POSITIVE_INFINITY;
  }

  async setup() {
    // jest's own loads modules only while the suite runs.
    process.getBuiltinModule = getBuiltinModule;
    // Paths that jest and editors can open. There are no source maps to look for.
    Error.prepareStackTrace = (error, frames) =>
      [error, ...frames].join('\n    at ').replaceAll(MODULE, '$1');
    // As many frames as Node.js has. jest sets a hundred, and each expectation takes them.
    Error.stackTraceLimit = 10;
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    forgetTokens();
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_JEST.includes(symbol.description ?? '')) Reflect.deleteProperty(globalThis, symbol);
    }
    Object.defineProperties(globalThis, this.#globals);
    for (const name of Object.keys(process.env)) {
      if (this.#variables[name] === undefined) delete process.env[name];
    }
    Object.assign(process.env, this.#variables);
    process.chdir(this.#folder);
    process.exit = this.#exit;
    process.exitCode = undefined;
    // The CDK would remove its assemblies when the process ends: by then there are more than jest waits for.
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(temporary);
    this.#collect();
  }

  /** jest begins a worker anew whose heap is above the limit, and counts garbage too. */
  #collect() {
    if (process.memoryUsage().heapUsed > this.#heapLimitBytes) globalThis.gc?.();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
