import type { Credentials } from './endpoint/callers.ts';
import type { Usage } from './endpoint/usage.ts';
import type { Engines } from './engines.ts';
import { type HttpGateway, startHttpGateway } from './http/http-gateway.ts';
import { type Denial, OPERATOR } from './iam/access.ts';
import type { Grant } from './iam/grant-use.ts';
import { untilIdle } from './idle.ts';
import { EventSourceMapping } from './lambda/event-source-mapping.ts';
import type { InvocationOutcome } from './lambda/function-process.ts';
import { type LocalAccount, type LocalAccountOptions, startLocalAccount } from './local-account.ts';
import type { Making, ResourceIdentity } from './resource-type.ts';
import { apiGatewayV2Api } from './resources/api-gateway-v2-api.ts';
import type { BusEvent } from './services/eventbridge/event-buses.ts';
import { startSchedules, systemClock } from './services/scheduler/schedules.ts';
import { StackResources } from './stack-resources.ts';
import { readAssembly, type StackAssembly } from './template/assembly.ts';
import { StackScope } from './template/stack-scope.ts';

/** Options of the account are for the one that is made for the stack. */
export interface LocalStackOptions extends Omit<LocalAccountOptions, 'accountId' | 'region'> {
  /** A cloud assembly directory (`cdk.out`) with one stack. */
  readonly assembly: string;
  /** Where the stack is deployed, beside others. @default - an account of its own, which ends with the stack */
  readonly account?: LocalAccount;
  /** Whether schedules and rules with a schedule fire. @default true */
  readonly schedules?: boolean;
  /** Where the HTTP API is served, and each further one a port above it; 0 for any free ports. @default 0 */
  readonly httpPort?: number;
}

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
  /** See {@link untilIdle}. */
  idle(): Promise<void>;
  /**
   * Deletes the stack as CloudFormation does: what its template does not retain is gone. The account stays.
   *
   * @throws SettingError naming what cannot be deleted, such as a bucket with objects.
   */
  destroy(): Promise<void>;
  /** Ends every process, connection and timer of the stack, and an account of its own. Can be called again. */
  stop(): Promise<void>;
}

/**
 * Runs a synthesized stack on this machine: its template is read, its resources are made in embedded
 * engines, its functions run in processes of their own.
 *
 * @throws SettingError naming the logical id and type of what cannot be run. Nothing is left running.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const assembly = readAssembly(options.assembly);
  const { accountId, region } = assembly;
  const account = options.account ?? (await startLocalAccount({ ...options, accountId, region }));
  const run = new StackRun(account, options.account === undefined);
  try {
    return await run.start(assembly, options);
  } catch (error) {
    await run.stop();
    throw error;
  }
}

class StackRun {
  readonly #account: LocalAccount;
  readonly #ownsAccount: boolean;
  readonly #mappings: EventSourceMapping[] = [];
  readonly #ended: Promise<void>[] = [];
  /** By the logical id of the HTTP API. */
  readonly #gateways = new Map<string, HttpGateway>();
  #resources: StackResources | undefined;
  #stopSchedules = () => {};
  /** CloudFormation describes it no more. */
  #forget: () => unknown = () => undefined;
  #quiet: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(account: LocalAccount, ownsAccount: boolean) {
    this.#account = account;
    this.#ownsAccount = ownsAccount;
  }

  async start(assembly: StackAssembly, options: LocalStackOptions): Promise<LocalStack> {
    const { engines } = this.#account;
    const scope = await this.#scopeOf(assembly, options);
    const outputs = scope.outputs();
    this.#resources = new StackResources(scope, this.#account);
    const made = await this.#resources.make(assembly.assetDirectories);
    const ids = scope.order.filter((id) => scope.isMade(id));
    const resources = Object.fromEntries(ids.map((id) => [id, scope.identityOf(id)]));
    const httpApis = this.#serve(engines, made);
    engines.stacks.set(assembly.stackName, outputs);
    this.#forget = () => engines.stacks.delete(assembly.stackName);
    for (const mapping of made.mappings) {
      this.#mappings.push(new EventSourceMapping(mapping, engines.queues, engines.host));
    }
    if (options.schedules ?? true) {
      this.#stopSchedules = startSchedules(made.occurrences, systemClock, made.startedMs);
    }
    return {
      resources,
      outputs,
      httpApis,
      ...operationsOf(engines, resources),
      idle: () => this.#idle(),
      destroy: () => this.#destroy(),
      stop: () => this.stop(),
    };
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  /** The gateways come first: their addresses are among the names that resources and outputs refer to. */
  async #scopeOf(assembly: StackAssembly, options: LocalStackOptions): Promise<StackScope> {
    const { httpPort = 0 } = options;
    for (const [id, { Type }] of Object.entries(assembly.template.Resources)) {
      if (Type !== apiGatewayV2Api.type) continue;
      const port = httpPort === 0 ? 0 : httpPort + this.#gateways.size;
      this.#gateways.set(id, await startHttpGateway(port));
    }
    return new StackScope(assembly.template, {
      ...this.#account.engines.place,
      namePrefix: this.#account.namePrefixOf(assembly.stackName),
      httpApiUrls: new Map([...this.#gateways].map(([id, { url }]) => [id, url])),
    });
  }

  #serve(engines: Engines, { httpApis }: Making): LocalStack['httpApis'] {
    return httpApis.all().flatMap((api) => {
      const gateway = this.#gateways.get(api.logicalId);
      gateway?.serve(api, engines);
      return gateway === undefined ? [] : [{ logicalId: api.logicalId, url: gateway.url }];
    });
  }

  async #idle(): Promise<void> {
    const isStopped = () => this.#quiet !== undefined;
    await untilIdle(this.#account.engines, this.#mappings, isStopped);
  }

  async #destroy(): Promise<void> {
    await this.#quieten();
    await this.#resources?.remove();
    this.#forget();
  }

  /** Nothing of the stack begins any more. */
  #quieten(): Promise<void> {
    this.#quiet ??= this.#endDeliveries();
    return this.#quiet;
  }

  async #endDeliveries(): Promise<void> {
    this.#stopSchedules();
    for (const mapping of this.#mappings) this.#ended.push(mapping.stop());
    await Promise.all([...this.#gateways.values()].map((gateway) => gateway.close()));
  }

  async #stopAll(): Promise<void> {
    await this.#quieten();
    if (!this.#ownsAccount) return;
    await this.#account.stop();
    // Their long polls end with the engines.
    await Promise.all(this.#ended);
  }
}

function operationsOf(engines: Engines, resources: LocalStack['resources']) {
  const { place, meter, access, callers, tables, secrets, buses, host } = engines;
  const functionOf = (wanted: string) => host.get(resources[wanted]?.name ?? wanted, 'function');
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
