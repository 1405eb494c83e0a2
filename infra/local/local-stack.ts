import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '../../lib/errors.ts';
import type { Credentials } from './endpoint/callers.ts';
import type { Usage } from './endpoint/usage.ts';
import { type Engines, startEngines } from './engines.ts';
import { type HttpGateway, startHttpGateway } from './http/http-gateway.ts';
import { type Denial, OPERATOR } from './iam/access.ts';
import type { Grant } from './iam/grant-use.ts';
import { untilIdle } from './idle.ts';
import { EventSourceMapping } from './lambda/event-source-mapping.ts';
import type { FunctionDefinition } from './lambda/function-definition.ts';
import type { InvocationOutcome, LogLine } from './lambda/function-process.ts';
import { type ExistingResources, makeExisting } from './make-existing.ts';
import { makeResources } from './make-resources.ts';
import type { Making, ResourceIdentity } from './resource-type.ts';
import { apiGatewayV2Api } from './resources/api-gateway-v2-api.ts';
import type { BusEvent } from './services/eventbridge/event-buses.ts';
import { startSchedules, systemClock } from './services/scheduler/schedules.ts';
import { readAssembly, type StackAssembly } from './template/assembly.ts';
import { StackScope } from './template/stack-scope.ts';

export interface LocalStackOptions {
  /** A cloud assembly directory (`cdk.out`) with one stack. */
  readonly assembly: string;
  /** Added to every function's environment, like `NODE_EXTRA_CA_CERTS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether schedules and rules with a schedule fire. @default true */
  readonly schedules?: boolean;
  /** Where the HTTP API is served; 0 for any free port. @default 0 */
  readonly httpPort?: number;
  /** What is there before the stack, like a bucket of your own. @default nothing but the default bus */
  readonly existing?: ExistingResources;
  /** Gets every line that a function writes. @default lines are dropped */
  readonly onLog?: (line: LogLine) => void;
  /** Gets every call that is refused, at once. @default they are only kept in `denied` */
  readonly onDenied?: (denial: Denial) => void;
  /** Gets every process that is started for a function. @default nobody is told */
  readonly onProcess?: (process: ChildProcess) => void;
}

/** A stack that runs on this machine. */
export interface LocalStack {
  /** For an SDK client of the caller, whose calls count as `operator`. The HTTP API takes its credentials too. */
  readonly endpoint: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: Credentials;
  };
  /** By logical id; only resources that were made. */
  readonly resources: Readonly<Record<string, ResourceIdentity>>;
  /** The stack's outputs, resolved. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The HTTP APIs, each at an address of this machine. */
  readonly httpApis: readonly { readonly logicalId: string; readonly url: string }[];
  /** Every event put on a bus, oldest first. */
  readonly events: readonly { readonly bus: string; readonly event: BusEvent }[];
  /** Invokes a function and waits for it. @param function_ Its logical id, name or ARN. */
  invoke(function_: string, payload: unknown): Promise<InvocationOutcome>;
  /** Makes a secret, or gives it a new current version. */
  putSecret(name: string, text: string): void;
  /** Of the stack itself: what the operator's own calls use, such as watching an export, is not in it. */
  usage(): Usage;
  /** How many calls so far may have changed an item of a table: who has read one since the last knows it. */
  tableWrites(): number;
  /** Every call that a role or policy of the template did not allow, oldest first. */
  readonly denied: readonly Denial[];
  /** What the template's policies allow, and whether a call has needed it so far. */
  grants(): readonly Grant[];
  /** Kills a process of a function, a busy one if there is one. False when it has none. */
  kill(function_: string): boolean;
  /** Kills any busy process. False when none is busy. */
  killRandom(): boolean;
  /**
   * Settles when no invocation and no delivery is under way and no queue that feeds a function has a
   * visible message. Delayed messages and hidden ones are not waited for.
   */
  idle(): Promise<void>;
  /** Ends every process, connection and timer of the stack. Can be called again. */
  stop(): Promise<void>;
}

const DEFAULT_ACCOUNT_ID = '000000000000';
const DEFAULT_REGION = 'us-east-1';

/**
 * Runs a synthesized stack on this machine: its template is read, its resources are made in embedded
 * engines, its functions run in processes of their own.
 *
 * @throws SettingError naming the logical id and type of what cannot be run. Nothing is left running.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const run = new StackRun(await mkdtemp(join(tmpdir(), 'local-stack-')));
  try {
    return await run.start(options);
  } catch (error) {
    await run.stop();
    throw error;
  }
}

/** What of a stack has been started, and how to end it. */
class StackRun {
  readonly #workDirectory: string;
  readonly #mappings: EventSourceMapping[] = [];
  #engines: Engines | undefined;
  #gateway: HttpGateway | undefined;
  #stopSchedules = () => {};
  #stopped: Promise<void> | undefined;

  constructor(workDirectory: string) {
    this.#workDirectory = workDirectory;
  }

  async start(options: LocalStackOptions): Promise<LocalStack> {
    const assembly = readAssembly(options.assembly);
    const engines = await this.#startEngines(assembly, options);
    const scope = new StackScope(assembly.template, engines.place);
    await makeExisting(options.existing ?? {}, engines);
    const { assetDirectories } = assembly;
    const files = { assetDirectories, workDirectory: this.#workDirectory };
    const made = await makeResources(scope, engines, files);
    const stack = {
      resources: Object.fromEntries(scope.order.map((id) => [id, scope.identityOf(id)])),
      outputs: scope.outputs(),
      httpApis: this.#serve(engines, made),
    };
    for (const mapping of made.mappings) {
      this.#mappings.push(new EventSourceMapping(mapping, engines.queues, engines.host));
    }
    if (options.schedules ?? true) {
      this.#stopSchedules = startSchedules(made.occurrences, systemClock, made.startedMs);
    }
    return {
      ...stack,
      ...operationsOf(engines),
      idle: () => this.#idle(),
      stop: () => this.stop(),
    };
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  /** The gateway comes first: its address is among the names that resources and outputs refer to. */
  async #startEngines(assembly: StackAssembly, options: LocalStackOptions): Promise<Engines> {
    const apis = Object.entries(assembly.template.Resources).filter(
      ([, { Type }]) => Type === apiGatewayV2Api.type,
    );
    if (apis.length > 1) {
      const ids = apis.map(([id]) => id).join(', ');
      throw new SettingError('template', `one HTTP API is run here, got ${ids}`);
    }
    if (apis.length > 0) this.#gateway = await startHttpGateway(options.httpPort ?? 0);
    this.#engines = await startEngines({
      place: {
        stackName: assembly.stackName,
        accountId: assembly.accountId ?? DEFAULT_ACCOUNT_ID,
        region: assembly.region ?? DEFAULT_REGION,
        httpApiUrl: this.#gateway?.url,
      },
      workDirectory: this.#workDirectory,
      functionEnvironment: options.environment ?? {},
      onLog: options.onLog ?? (() => {}),
      onDenied: options.onDenied ?? (() => {}),
      onProcess: options.onProcess ?? (() => {}),
    });
    return this.#engines;
  }

  #serve(engines: Engines, { httpApi }: Making): LocalStack['httpApis'] {
    const api = httpApi.whole();
    if (api === undefined || this.#gateway === undefined) return [];
    this.#gateway.serve(api, engines);
    return [{ logicalId: api.logicalId, url: this.#gateway.url }];
  }

  async #idle(): Promise<void> {
    const isStopped = () => this.#stopped !== undefined;
    if (this.#engines !== undefined) await untilIdle(this.#engines, this.#mappings, isStopped);
  }

  async #stopAll(): Promise<void> {
    this.#stopSchedules();
    const ended = this.#mappings.map((mapping) => mapping.stop());
    await this.#gateway?.close();
    await this.#engines?.stop();
    await Promise.all(ended);
    await rm(this.#workDirectory, { recursive: true, force: true });
  }
}

function operationsOf({ place, meter, access, callers, tables, secrets, buses, host }: Engines) {
  const functionOf = (wanted: string): FunctionDefinition => {
    const definition = host.find(wanted);
    if (definition !== undefined) return definition;
    throw new SettingError('function', `the stack has no function ${wanted}`);
  };
  return {
    endpoint: {
      endpoint: place.endpointUrl,
      region: place.region,
      credentials: callers.admitPerson(OPERATOR),
    },
    events: buses.log,
    invoke: (wanted: string, payload: unknown) =>
      host.invoke(functionOf(wanted), JSON.stringify(payload ?? null)),
    putSecret: (name: string, text: string) => {
      secrets.put(name, text);
    },
    usage: meter.usage,
    tableWrites: () => tables.writes,
    denied: access.denied,
    grants: () => access.grants(),
    kill: (wanted: string) => host.kill(functionOf(wanted)),
    killRandom: () => host.killRandom(),
  };
}
