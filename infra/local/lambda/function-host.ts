import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { SettingError } from '../../../lib/errors.ts';
import type { UsageMeter } from '../endpoint/usage.ts';
import type { FunctionDefinition } from './function-definition.ts';
import { functionEnvironment, type HostEnvironment } from './function-environment.ts';
import { FunctionProcess, type InvocationOutcome, type LogLine } from './function-process.ts';
import type { MayLog } from './may-log.ts';
import type { FunctionError, InvokeMessage } from './runtime-messages.ts';

interface Pool {
  readonly definition: FunctionDefinition;
  readonly idle: FunctionProcess[];
  readonly busy: Set<FunctionProcess>;
}

export interface HostOptions {
  readonly environment: HostEnvironment;
  readonly meter: UsageMeter;
  readonly mayLog: MayLog;
  readonly onLog?: ((line: LogLine) => void) | undefined;
  readonly onProcess?: ((process: ChildProcess) => void) | undefined;
}

export interface FunctionInvoker {
  /** By logical id, name or ARN. */
  find(function_: string): FunctionDefinition | undefined;
  /** @param payload JSON text of the event. */
  invoke(definition: FunctionDefinition, payload: string): Promise<InvocationOutcome>;
}

/** Runs the functions of a stack, each invocation in a process that runs no other at that time. */
export class FunctionHost implements FunctionInvoker {
  readonly #options: HostOptions;
  readonly #pools: Pool[] = [];
  #stopping = false;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  add(definition: FunctionDefinition): void {
    this.#pools.push({ definition, idle: [], busy: new Set() });
  }

  /** Ends its processes; nothing invokes it any more. */
  async remove(name: string): Promise<void> {
    const index = this.#pools.findIndex(({ definition }) => definition.name === name);
    const [removed] = index < 0 ? [] : this.#pools.splice(index, 1);
    await Promise.all(
      [...(removed?.idle ?? []), ...(removed?.busy ?? [])].map((one) => one.kill()),
    );
  }

  find(wanted: string): FunctionDefinition | undefined {
    return this.#pools
      .map(({ definition }) => definition)
      .find(({ logicalId, name, arn }) => [logicalId, name, arn].includes(wanted));
  }

  /** @throws SettingError naming `place` when there is none. */
  get(wanted: string, place: string): FunctionDefinition {
    const definition = this.find(wanted);
    if (definition !== undefined) return definition;
    throw new SettingError(place, `the stack has no function ${wanted}`);
  }

  async invoke(definition: FunctionDefinition, payload: string): Promise<InvocationOutcome> {
    const { mayLog, meter } = this.#options;
    const pool = this.#poolOf(definition);
    mayLog(definition);
    if (this.#stopping) return { kind: 'failed', error: STOPPING };
    const startedMs = performance.now();
    const warm = takeWarm(pool);
    const process = warm ?? this.#start(definition);
    pool.busy.add(process);
    const initError = await process.initialized;
    const outcome: InvocationOutcome =
      initError === undefined
        ? await process.invoke(messageFor(definition, payload))
        : { kind: 'failed', error: initError };
    pool.busy.delete(process);
    if (process.alive && !this.#stopping) pool.idle.push(process);
    if (!process.alive && outcome.kind === 'failed') this.#logEnd(definition, outcome.error);
    meter.invocation(definition.name, {
      // Since August 2025 the init phase is billed like the invocation itself.
      durationMs: performance.now() - startedMs,
      memoryMb: definition.memoryMb,
      peakMemoryBytes: process.peakMemoryBytes,
      cold: warm === undefined,
      failed: outcome.kind === 'failed',
    });
    return outcome;
  }

  /** Kills a process of a function, a busy one if there is one. False when it has none. */
  kill(definition: FunctionDefinition): boolean {
    const { busy, idle } = this.#poolOf(definition);
    return killOne([...busy][0] ?? idle[0]);
  }

  /** Kills any busy process. False when none is busy. */
  killRandom(): boolean {
    const busy = this.#pools.flatMap((pool) => [...pool.busy]);
    return killOne(busy[Math.floor(Math.random() * busy.length)]);
  }

  /** Invocations under way. */
  get running(): number {
    return this.#pools.reduce((sum, { busy }) => sum + busy.size, 0);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const processes = this.#pools.flatMap(({ idle, busy }) => [...idle, ...busy]);
    await Promise.all(processes.map((process) => process.kill()));
  }

  #start(definition: FunctionDefinition): FunctionProcess {
    const { environment, mayLog, onLog, onProcess } = this.#options;
    const variables = functionEnvironment(definition, environment);
    const started = new FunctionProcess(definition, variables, (line) => {
      if (mayLog(definition)) onLog?.(line);
    });
    onProcess?.(started.child);
    return started;
  }

  /** As Lambda does: a process that ran out of time or memory can log nothing any more. */
  #logEnd(definition: FunctionDefinition, error: FunctionError): void {
    const { mayLog, onLog } = this.#options;
    if (this.#stopping || !mayLog(definition)) return;
    const { errorType: errorName, errorMessage } = error;
    const line = { level: 'ERROR', message: 'The function ended', errorName, errorMessage };
    onLog?.({ functionName: definition.name, stream: 'stderr', line: JSON.stringify(line) });
  }

  #poolOf({ name }: FunctionDefinition): Pool {
    const pool = this.#pools.find(({ definition }) => definition.name === name);
    if (pool !== undefined) return pool;
    throw new SettingError('function', `there is no function ${name}`);
  }
}

const STOPPING = { errorType: 'Sandbox.Stopping', errorMessage: 'The stack is stopping' } as const;

function takeWarm({ idle }: Pool): FunctionProcess | undefined {
  for (let process = idle.pop(); process !== undefined; process = idle.pop()) {
    if (process.alive) return process;
  }
  return undefined;
}

function killOne(process: FunctionProcess | undefined): boolean {
  if (process === undefined) return false;
  void process.kill();
  return true;
}

function messageFor({ timeoutSeconds }: FunctionDefinition, payload: string): InvokeMessage {
  return { requestId: randomUUID(), payload, deadlineMs: Date.now() + timeoutSeconds * 1000 };
}
