import { randomBytes, randomUUID } from 'node:crypto';
import { SettingError } from '../../../lib/errors.ts';
import type { UsageMeter } from '../endpoint/usage.ts';
import type { FunctionDefinition } from './function-definition.ts';
import { functionEnvironment, type HostEnvironment } from './function-environment.ts';
import {
  type FunctionProcess,
  type InvocationResult,
  type LogLine,
  startFunctionProcess,
} from './function-process.ts';

/** `throttled`: all of the reserved concurrency is in use; the function was not called. */
export type InvocationOutcome = InvocationResult | { readonly kind: 'throttled' };

/** Runs the functions of a stack, each invocation in a process that runs no other at that time. */
export interface FunctionHost {
  add(definition: FunctionDefinition): void;
  /** By logical id, name or ARN. */
  find(function_: string): FunctionDefinition | undefined;
  /** @param payload JSON text of the event. */
  invoke(definition: FunctionDefinition, payload: string): Promise<InvocationOutcome>;
  /** Kills a process of a function, a busy one if there is one. False when it has none. */
  kill(definition: FunctionDefinition): boolean;
  /** Kills any busy process. False when none is busy. */
  killRandom(): boolean;
  /** Invocations under way. */
  readonly running: number;
  /** Ends every process. */
  stop(): Promise<void>;
}

interface Pool {
  readonly definition: FunctionDefinition;
  readonly idle: FunctionProcess[];
  readonly busy: Set<FunctionProcess>;
}

export function createFunctionHost(
  environment: HostEnvironment,
  meter: UsageMeter,
  onLog: (line: LogLine) => void,
): FunctionHost {
  const pools: Pool[] = [];
  let stopping = false;

  return {
    add: (definition) => {
      pools.push({ definition, idle: [], busy: new Set() });
    },
    find: (wanted) =>
      pools
        .map(({ definition }) => definition)
        .find(({ logicalId, name, arn }) => [logicalId, name, arn].includes(wanted)),
    invoke,
    kill: (definition) => {
      const { busy, idle } = poolOf(definition);
      return killOne([...busy][0] ?? idle[0]);
    },
    killRandom: () => {
      const busy = pools.flatMap((pool) => [...pool.busy]);
      return killOne(busy[Math.floor(Math.random() * busy.length)]);
    },
    get running() {
      return pools.reduce((sum, { busy }) => sum + busy.size, 0);
    },
    async stop() {
      stopping = true;
      await Promise.all(
        pools.flatMap(({ idle, busy }) => [...idle, ...busy]).map((process) => process.kill()),
      );
    },
  };

  async function invoke(
    definition: FunctionDefinition,
    payload: string,
  ): Promise<InvocationOutcome> {
    const pool = poolOf(definition);
    const reserved = definition.reservedConcurrency ?? Number.POSITIVE_INFINITY;
    if (stopping || pool.busy.size >= reserved) {
      meter.throttledInvocation(definition.name);
      return { kind: 'throttled' };
    }
    const startedMs = performance.now();
    const warm = takeWarm(pool);
    const process = warm ?? start(definition);
    pool.busy.add(process);
    const initError = await process.initialized;
    const result: InvocationResult =
      initError === undefined
        ? await process.invoke(messageFor(definition, payload))
        : { kind: 'failed', error: initError };
    pool.busy.delete(process);
    if (process.alive && !stopping) pool.idle.push(process);
    meter.invocation(definition.name, {
      // Since August 2025 the init phase is billed like the invocation itself.
      durationMs: performance.now() - startedMs,
      memoryMb: definition.memoryMb,
      peakMemoryBytes: process.peakMemoryBytes,
      cold: warm === undefined,
      failed: result.kind === 'failed',
    });
    return result;
  }

  function start(definition: FunctionDefinition): FunctionProcess {
    return startFunctionProcess(definition, functionEnvironment(definition, environment), onLog);
  }

  function poolOf({ name }: FunctionDefinition): Pool {
    const pool = pools.find(({ definition }) => definition.name === name);
    if (pool !== undefined) return pool;
    throw new SettingError('function', `there is no function ${name}`);
  }
}

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

function messageFor({ arn, timeoutSeconds }: FunctionDefinition, payload: string) {
  const epoch = Math.floor(Date.now() / 1000).toString(16);
  return {
    kind: 'invoke',
    requestId: randomUUID(),
    payload,
    deadlineMs: Date.now() + timeoutSeconds * 1000,
    functionArn: arn,
    traceId: `Root=1-${epoch}-${randomBytes(12).toString('hex')};Sampled=0`,
  } as const;
}
