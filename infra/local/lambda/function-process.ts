import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import type { FunctionDefinition } from './function-definition.ts';
import { residentBytes } from './process-memory.ts';
import {
  type FunctionError,
  type InvokeMessage,
  runtimeMessageSchema,
} from './runtime-messages.ts';

/** How one invocation ended. */
export type InvocationResult =
  | { readonly kind: 'returned' /** JSON text. */; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: FunctionError };

/** One line that a function wrote. */
export interface LogLine {
  readonly functionName: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

/** A process that runs a function, one invocation at a time. */
export interface FunctionProcess {
  readonly pid: number | undefined;
  /** False once the process ended; it takes no further invocation. */
  readonly alive: boolean;
  readonly peakMemoryBytes: number;
  /** Settles when the handler is loaded or could not be; the latter ends the process. */
  readonly initialized: Promise<FunctionError | undefined>;
  invoke(message: InvokeMessage): Promise<InvocationResult>;
  kill(): Promise<void>;
}

/** Lambda's limit of the init phase (developer guide, "Lambda execution environment lifecycle"). */
const INIT_TIMEOUT_SECONDS = 10;
/** Lambda's limit of a synchronous response (Lambda quotas). */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024;
/** The rest of the memory is left to Node itself. Lambda's runtime has the same option (lambci/docker-lambda). */
const OLD_SPACE_SHARE = 0.9;
/**
 * Allowed above `MemorySize`: the pages of the Node binary and its type stripper, which count as
 * resident here (measured: 45 to 60 MiB for an empty handler).
 */
const PROCESS_ALLOWANCE_MB = 64;
const MEMORY_CHECK_INTERVAL_MS = 50;
const BYTES_PER_MB = 1024 * 1024;

/** The option that gives a function's process the heap that it has on Lambda: V8 collects more often in it. */
export function heapOption(memoryMb: number): string {
  return `--max-old-space-size=${Math.floor(memoryMb * OLD_SPACE_SHARE)}`;
}

/** What a process has to know of its function. */
type ProcessDefinition = Pick<
  FunctionDefinition,
  'name' | 'taskRoot' | 'handler' | 'memoryMb' | 'timeoutSeconds'
>;

/** Starts a process and loads the handler. `onLog` gets every line it writes. */
export function startFunctionProcess(
  definition: ProcessDefinition,
  environment: Record<string, string>,
  onLog: (line: LogLine) => void,
): FunctionProcess {
  const runtime = new URL('./function-runtime.ts', import.meta.url);
  const child = fork(runtime, [definition.taskRoot, definition.handler], {
    cwd: definition.taskRoot,
    env: environment,
    execArgv: ['--disable-warning=ExperimentalWarning', heapOption(definition.memoryMb)],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  forwardLines(child, definition.name, onLog);

  let alive = true;
  let peakMemoryBytes = 0;
  /** Why the process ended or is being ended, when something better than the exit code is known. */
  let cause: FunctionError | undefined;
  let initEnded: (error: FunctionError | undefined) => void = () => {};
  let invocationEnded: ((result: InvocationResult) => void) | undefined;
  let current: string | undefined;

  const initialized = new Promise<FunctionError | undefined>((resolve) => {
    initEnded = resolve;
  });
  const initTimer = setTimeout(
    () => end(timedOut(INIT_TIMEOUT_SECONDS)),
    INIT_TIMEOUT_SECONDS * 1000,
  );
  void initialized.then(() => clearTimeout(initTimer));

  child.on('message', (raw) => {
    const message = v.parse(runtimeMessageSchema, raw);
    if (message.kind === 'ready') initEnded(undefined);
    else if (message.kind === 'crashing') cause ??= message.error;
    else if (message.requestId === current) finish(resultOf(message));
  });
  child.on('error', (error) => {
    cause ??= { errorType: 'Runtime.InvalidEntrypoint', errorMessage: error.message };
    ended('not started');
  });
  child.on('exit', (code, signal) =>
    ended(signal === null ? `exit status ${code}` : `signal: ${signal}`),
  );

  return {
    get pid() {
      return child.pid;
    },
    get alive() {
      return alive;
    },
    get peakMemoryBytes() {
      return peakMemoryBytes;
    },
    initialized,
    invoke,
    async kill() {
      if (!alive) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };

  async function invoke(message: InvokeMessage): Promise<InvocationResult> {
    if (!alive) return { kind: 'failed', error: exitError('process is gone') };
    current = message.requestId;
    const result = new Promise<InvocationResult>((resolve) => {
      invocationEnded = resolve;
    });
    const timer = setTimeout(
      () => end(timedOut(definition.timeoutSeconds)),
      definition.timeoutSeconds * 1000,
    );
    const memoryTimer = setInterval(() => void checkMemory(), MEMORY_CHECK_INTERVAL_MS);
    child.send(message);
    const outcome = await result;
    clearTimeout(timer);
    clearInterval(memoryTimer);
    return outcome;
  }

  async function checkMemory(): Promise<void> {
    const bytes = child.pid === undefined ? 0 : await residentBytes(child.pid);
    peakMemoryBytes = Math.max(peakMemoryBytes, bytes);
    if (bytes <= (definition.memoryMb + PROCESS_ALLOWANCE_MB) * BYTES_PER_MB) return;
    const errorMessage = `RequestId: ${current} Error: Runtime exited with error: signal: killed`;
    end({ errorType: 'Runtime.OutOfMemory', errorMessage });
  }

  /** Ends the process for a reason that its invocation reports. */
  function end(error: FunctionError): void {
    cause ??= error;
    child.kill('SIGKILL');
  }

  function ended(how: string): void {
    alive = false;
    const error = cause ?? exitError(how);
    initEnded(error);
    finish({ kind: 'failed', error });
  }

  function finish(result: InvocationResult): void {
    current = undefined;
    invocationEnded?.(result);
    invocationEnded = undefined;
  }

  function timedOut(seconds: number): FunctionError {
    const request = current === undefined ? 'INIT' : `RequestId: ${current} Error:`;
    const errorMessage = `${request} Task timed out after ${seconds.toFixed(2)} seconds`;
    return { errorType: 'Sandbox.Timedout', errorMessage };
  }

  function exitError(how: string): FunctionError {
    const errorMessage = `RequestId: ${current ?? 'INIT'} Error: Runtime exited with error: ${how}`;
    return { errorType: 'Runtime.ExitError', errorMessage };
  }
}

function resultOf(message: InvocationResult): InvocationResult {
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
