import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '../../lib/errors.ts';
import type { Usage } from './endpoint/usage.ts';
import { type Engines, startEngines } from './engines.ts';
import { httpApiDefinitions } from './http/api-definition.ts';
import { gatewayHost } from './http/gateway-host.ts';
import { type HttpGateways, startHttpGateways } from './http/http-gateways.ts';
import { type Denial, OPERATOR } from './iam/access.ts';
import type { Grant } from './iam/grant-use.ts';
import { untilIdle } from './idle.ts';
import { type EventSourceMapping, startEventSourceMapping } from './lambda/event-source-mapping.ts';
import type { FunctionDefinition } from './lambda/function-definition.ts';
import type { InvocationOutcome } from './lambda/function-host.ts';
import type { LogLine } from './lambda/function-process.ts';
import { type ExistingResources, makeExisting } from './make-existing.ts';
import { makeResources } from './make-resources.ts';
import type { BusEvent } from './services/eventbridge/event-buses.ts';
import { startSchedules, systemClock } from './services/scheduler/schedules.ts';
import { readAssembly } from './template/assembly.ts';
import type { ResourceIdentity } from './template/made-resources.ts';
import { stackScope } from './template/stack-scope.ts';

export interface LocalStackOptions {
  /** A cloud assembly directory (`cdk.out`) with one stack. */
  readonly assembly: string;
  /** Values of template parameters. @default each parameter's own default */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Twelve digits. @default the account the stack is bound to, else 000000000000 */
  readonly accountId?: string;
  /** @default the region the stack is bound to, else us-east-1 */
  readonly region?: string;
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
}

/** A stack that runs on this machine. */
export interface LocalStack {
  /** For an SDK client of the caller, whose calls count as `operator`. */
  readonly endpoint: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
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
const OPERATOR_CREDENTIALS = { accessKeyId: 'LOCALOPERATOR', secretAccessKey: 'local' } as const;

/**
 * Runs a synthesized stack on this machine: its template is read, its resources are made in embedded
 * engines, its functions run in processes of their own.
 *
 * @throws SettingError naming the logical id and type of what cannot be run. Nothing is left running.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const assembly = readAssembly(options.assembly);
  const workDirectory = await mkdtemp(join(tmpdir(), 'local-stack-'));
  const mappings: EventSourceMapping[] = [];
  let engines: Engines | undefined;
  let gateways: HttpGateways | undefined;
  let stopSchedules = () => {};
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopAll();
    return stopped;
  };

  try {
    const { template, stackName } = assembly;
    const served = await startHttpGateways(template, stackName, options.httpPort ?? 0);
    gateways = served;
    engines = await startEngines({
      place: {
        stackName,
        accountId: options.accountId ?? assembly.accountId ?? DEFAULT_ACCOUNT_ID,
        region: options.region ?? assembly.region ?? DEFAULT_REGION,
        httpApiUrls: served.urls,
      },
      workDirectory,
      functionEnvironment: options.environment ?? {},
      onLog: options.onLog ?? (() => {}),
      onDenied: options.onDenied ?? (() => {}),
    });
    const { access, queues, host, meter, place } = engines;
    engines.admit(OPERATOR_CREDENTIALS.accessKeyId, OPERATOR);
    const scope = stackScope(template, place, options.parameters);
    const files = { assetDirectories: assembly.assetDirectories, workDirectory };
    const startedMs = systemClock.nowMs();
    await makeExisting(options.existing ?? {}, engines);
    const prepared = await makeResources(scope, engines, files, startedMs);
    const outputs = scope.outputs();
    const httpApis = httpApiDefinitions(scope, host.find).map((api) => {
      const { url, serve } = served.gatewayOf(api.name);
      serve(api, { host: gatewayHost(host, access, place), accountId: place.accountId, meter });
      return { logicalId: api.logicalId, url };
    });
    for (const mapping of prepared.mappings) {
      mappings.push(startEventSourceMapping(mapping, queues, host));
    }
    if (options.schedules ?? true) {
      stopSchedules = startSchedules(prepared.occurrences, systemClock, startedMs);
    }
    const resources = Object.fromEntries(scope.order.map((id) => [id, scope.identityOf(id)]));
    return stackOf(engines, resources, outputs, httpApis);
  } catch (error) {
    await stop();
    throw error;
  }

  function stackOf(
    { place, meter, access, tables, secrets, buses, host }: Engines,
    resources: LocalStack['resources'],
    outputs: LocalStack['outputs'],
    httpApis: LocalStack['httpApis'],
  ): LocalStack {
    const functionOf = (wanted: string): FunctionDefinition => {
      const definition = host.find(wanted);
      if (definition !== undefined) return definition;
      throw new SettingError('function', `the stack has no function ${wanted}`);
    };
    return {
      endpoint: {
        endpoint: place.endpointUrl,
        region: place.region,
        credentials: OPERATOR_CREDENTIALS,
      },
      resources,
      outputs,
      httpApis,
      events: buses.log,
      invoke: (wanted, payload) => host.invoke(functionOf(wanted), JSON.stringify(payload ?? null)),
      putSecret(name, text) {
        const secret = secrets.find(name);
        if (secret === undefined) secrets.create(name, text);
        else secrets.put(secret, text);
      },
      usage: meter.usage,
      tableWrites: () => tables.writes,
      denied: access.denied,
      grants: access.grants,
      kill: (wanted) => host.kill(functionOf(wanted)),
      killRandom: host.killRandom,
      idle: async () => {
        if (engines !== undefined) await untilIdle(engines, mappings, () => stopped !== undefined);
      },
      stop,
    };
  }

  async function stopAll(): Promise<void> {
    stopSchedules();
    const ended = mappings.map((mapping) => mapping.stop());
    await gateways?.close();
    await engines?.stop();
    await Promise.all(ended);
    await rm(workDirectory, { recursive: true, force: true });
  }
}
