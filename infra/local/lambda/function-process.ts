import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import { heapOption } from '../../constructs/foundation/memory-environment.ts';
import type { FunctionDefinition } from './function-definition.ts';
import { residentBytes } from './process-memory.ts';
import {
  type FunctionError,
  type InvokeMessage,
  runtimeMessageSchema,
} from './runtime-messages.ts';

export type InvocationOutcome =
  | { readonly kind: 'returned' /** JSON text. */; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: FunctionError };

export interface LogLine {
  readonly functionName: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

/** Lambda's limit of the init phase (developer guide, "Lambda execution environment lifecycle"). */
const INIT_TIMEOUT_SECONDS = 10;
/** Lambda's limit of a synchronous response (Lambda quotas). */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024;
const SIZE_OPTION = /--max[-_](?:old|semi)[-_]space[-_]size/;
/** Allowed above `MemorySize`: the pages of the Node binary and its type stripper, which count as resident here. */
const PROCESS_ALLOWANCE_MB = 64;
const MEMORY_CHECK_INTERVAL_MS = 50;
const BYTES_PER_MB = 1024 * 1024;

/**
 * The options that give a function's process the heap that it has on Lambda: V8 collects more often in it. Where the
 * function sets one of V8's two sizes, Lambda sets none (bootstrap of the runtime `nodejs24.x`).
 */
export function heapOptions(memoryMb: number, nodeOptions = ''): readonly string[] {
  if (SIZE_OPTION.test(nodeOptions)) return [];
  return [heapOption(memoryMb)];
}

/**
 * V8's threads that collect garbage wait for each other by spinning, and several processes share the processors here: a
 * function takes 7 % less CPU time without them. On Lambda it has less than one processor below 1,769 MB.
 */
const ONE_COLLECTOR = '--single-threaded-gc';

type ProcessDefinition = Pick<
  FunctionDefinition,
  'name' | 'taskRoot' | 'handler' | 'memoryMb' | 'timeoutSeconds'
>;

/** A process that runs a function, one invocation at a time. It begins with loading the handler. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #definition: ProcessDefinition;
  readonly #init = Promise.withResolvers<FunctionError | undefined>();
  #alive = true;
  #peakMemoryBytes = 0;
  /** Why the process ended or is being ended, when something better than the exit code is known. */
  #cause: FunctionError | undefined;
  /** The id of the invocation under way. */
  #current: string | undefined;
  #invocationEnded: ((outcome: InvocationOutcome) => void) | undefined;

  /** @param onLog Gets every line that the process writes. */
  constructor(
    definition: ProcessDefinition,
    environment: Record<string, string>,
    onLog: (line: LogLine) => void,
  ) {
    this.#definition = definition;
    const runtime = new URL('./function-runtime.ts', import.meta.url);
    this.#child = fork(runtime, [definition.taskRoot, definition.handler], {
      cwd: definition.taskRoot,
      env: environment,
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        ONE_COLLECTOR,
        ...heapOptions(definition.memoryMb, environment['NODE_OPTIONS']),
      ],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    forwardLines(this.#child, definition.name, onLog);
    this.#listen();
    const timer = setTimeout(
      () => this.#end(this.#timedOut(INIT_TIMEOUT_SECONDS)),
      INIT_TIMEOUT_SECONDS * 1000,
    );
    void this.initialized.then(() => clearTimeout(timer));
  }

  get child(): ChildProcess {
    return this.#child;
  }

  /** False once the process ended; it takes no further invocation. */
  get alive(): boolean {
    return this.#alive;
  }

  get peakMemoryBytes(): number {
    return this.#peakMemoryBytes;
  }

  /** Settles when the handler is loaded or could not be; the latter ends the process. */
  get initialized(): Promise<FunctionError | undefined> {
    return this.#init.promise;
  }

  async invoke(message: InvokeMessage): Promise<InvocationOutcome> {
    if (!this.#alive) return { kind: 'failed', error: this.#exitError('process is gone') };
    this.#current = message.requestId;
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    this.#invocationEnded = resolve;
    const { timeoutSeconds } = this.#definition;
    const timer = setTimeout(
      () => this.#end(this.#timedOut(timeoutSeconds)),
      timeoutSeconds * 1000,
    );
    const memoryTimer = setInterval(() => void this.#checkMemory(), MEMORY_CHECK_INTERVAL_MS);
    // A process that was just killed takes no message: its exit says so.
    this.#child.send(message, () => {});
    const outcome = await promise;
    clearTimeout(timer);
    clearInterval(memoryTimer);
    return outcome;
  }

  async kill(): Promise<void> {
    if (!this.#alive) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  #listen(): void {
    this.#child.on('message', (raw) => {
      const message = v.parse(runtimeMessageSchema, raw);
      if (message.kind === 'ready') this.#init.resolve(undefined);
      else if (message.kind === 'crashing') this.#end(message.error);
      else if (message.requestId === this.#current) this.#finish(outcomeOf(message));
    });
    this.#child.on('error', (error) => {
      this.#cause ??= { errorType: 'Runtime.InvalidEntrypoint', errorMessage: error.message };
      this.#ended('not started');
    });
    this.#child.on('exit', (code, signal) =>
      this.#ended(signal === null ? `exit status ${code}` : `signal: ${signal}`),
    );
  }

  async #checkMemory(): Promise<void> {
    const { pid } = this.#child;
    const bytes = pid === undefined ? 0 : await residentBytes(pid);
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, bytes);
    if (bytes <= (this.#definition.memoryMb + PROCESS_ALLOWANCE_MB) * BYTES_PER_MB) return;
    const errorMessage = `RequestId: ${this.#current} Error: Runtime exited with error: signal: killed`;
    this.#end({ errorType: 'Runtime.OutOfMemory', errorMessage });
  }

  /** Ends the process for a reason that its invocation reports. */
  #end(error: FunctionError): void {
    this.#cause ??= error;
    this.#child.kill('SIGKILL');
  }

  #ended(how: string): void {
    this.#alive = false;
    const error = this.#cause ?? this.#exitError(how);
    this.#init.resolve(error);
    this.#finish({ kind: 'failed', error });
  }

  #finish(outcome: InvocationOutcome): void {
    this.#current = undefined;
    this.#invocationEnded?.(outcome);
    this.#invocationEnded = undefined;
  }

  #timedOut(seconds: number): FunctionError {
    const request = this.#current === undefined ? 'INIT' : `RequestId: ${this.#current} Error:`;
    const errorMessage = `${request} Task timed out after ${seconds.toFixed(2)} seconds`;
    return { errorType: 'Sandbox.Timedout', errorMessage };
  }

  #exitError(how: string): FunctionError {
    const errorMessage = `RequestId: ${this.#current ?? 'INIT'} Error: Runtime exited with error: ${how}`;
    return { errorType: 'Runtime.ExitError', errorMessage };
  }
}

function outcomeOf(message: InvocationOutcome): InvocationOutcome {
  if (message.kind === 'failed') return { kind: 'failed', error: message.error };
  const bytes = Buffer.byteLength(message.payload);
  if (bytes <= MAX_RESPONSE_BYTES) return { kind: 'returned', payload: message.payload };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${MAX_RESPONSE_BYTES} bytes).`;
  return { kind: 'failed', error: { errorType: 'Function.ResponseSizeTooLarge', errorMessage } };
}

function forwardLines(
  child: ChildProcess,
  functionName: string,
  onLog: (line: LogLine) => void,
): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const input = child[stream];
    if (input === null) continue;
    createInterface({ input }).on('line', (line) => onLog({ functionName, stream, line }));
  }
}
