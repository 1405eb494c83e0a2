import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { startAwsEndpoint } from './endpoint/aws-endpoint.ts';
import { Callers } from './endpoint/callers.ts';
import { jsonService } from './endpoint/json-service.ts';
import { createUsageMeter, type UsageMeter } from './endpoint/usage.ts';
import { Access, type Denial, OPERATOR } from './iam/access.ts';
import type { IamRequest } from './iam/request.ts';
import { createAsyncInvoker } from './lambda/async-invoker.ts';
import { compileCacheIn } from './lambda/compile-cache.ts';
import { FunctionHost } from './lambda/function-host.ts';
import type { LogLine } from './lambda/function-process.ts';
import { mayLogBy } from './lambda/may-log.ts';
import { cloudformationService } from './services/cloudformation/cloudformation-service.ts';
import { type DynaliteEngine, startDynalite } from './services/dynamodb/dynalite-engine.ts';
import { dynamodbService } from './services/dynamodb/dynamodb-service.ts';
import { eventBridgeService } from './services/eventbridge/event-bridge-service.ts';
import {
  createEventBuses,
  type EventBuses,
  type NewEvent,
} from './services/eventbridge/event-buses.ts';
import { createTargets, type Targets } from './services/eventbridge/targets.ts';
import { type Fauxqs, startFauxqs } from './services/fauxqs.ts';
import { lambdaService } from './services/lambda/lambda-service.ts';
import { s3Service } from './services/s3/s3-service.ts';
import {
  createSecretStore,
  type Secret,
  type SecretStore,
} from './services/secrets-manager/secret-store.ts';
import { secretsManagerService } from './services/secrets-manager/secrets-manager-service.ts';
import { createQueues, type Queues } from './services/sqs/queues.ts';
import { sqsService } from './services/sqs/sqs-service.ts';
import { stsService } from './services/sts/sts-service.ts';
import type { AccountPlace } from './template/place.ts';

/** Everything that stacks of an account run on, wired; nothing of a template is in it yet. */
export interface Engines {
  readonly place: AccountPlace;
  readonly meter: UsageMeter;
  /** What the operator's own calls use, such as watching an export. */
  readonly operatorMeter: UsageMeter;
  readonly access: Access;
  /** Who may call the endpoint and the HTTP API. */
  readonly callers: Callers;
  readonly fauxqs: Fauxqs;
  readonly queues: Queues;
  readonly tables: DynaliteEngine;
  readonly secrets: SecretStore;
  readonly buses: EventBuses;
  readonly targets: Targets;
  readonly host: FunctionHost;
  /** The outputs of each stack, by its name. */
  readonly stacks: Map<string, Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** @default '000000000000' */
  readonly accountId?: string | undefined;
  /** @default 'us-east-1' */
  readonly region?: string | undefined;
  /** Added to every function's environment, like `NODE_EXTRA_CA_CERTS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets every line that a function writes. @default lines are dropped */
  readonly onLog?: (line: LogLine) => void;
  /** Gets every call that is refused, at once. @default they are only kept in `denied` */
  readonly onDenied?: (denial: Denial) => void;
  /** Called for every right that a call of a caller needed and had; {@link OPERATOR} is the person. */
  readonly onAllowed?: (caller: string, request: IamRequest) => void;
  /** Gets every process that is started for a function. @default nobody is told */
  readonly onProcess?: (process: ChildProcess) => void;
}

/** @param workDirectory For files of this run. */
export async function startEngines(
  options: EngineOptions,
  workDirectory: string,
): Promise<Engines> {
  const { accountId = '000000000000', region = 'us-east-1' } = options;
  const callers = new Callers(region);
  const endpoint = await startAwsEndpoint(callers);
  const place: AccountPlace = { accountId, region, endpointUrl: endpoint.url };
  const stopping = new AbortController();
  const meter = createUsageMeter();
  const operatorMeter = createUsageMeter();
  const meterOf = (caller: string) => (caller === OPERATOR ? operatorMeter : meter);
  const access = new Access(place, options.onDenied, options.onAllowed);
  const fauxqs = await startFauxqs();
  const queues = createQueues(fauxqs, place, meterOf);
  const tables = startDynalite();
  const host = await startHost(options, workDirectory, { place, meter, access });
  const invoker = createAsyncInvoker(host, queues, (ms) =>
    wait(ms, undefined, { signal: stopping.signal }),
  );
  const targets = createTargets({ queues, host, invoker, access });
  const buses = createEventBuses(place, targets);
  const secrets = createSecretStore(place, (secret) => buses.put('default', labelUpdated(secret)));
  const services = {
    dynamodb: dynamodbService(tables, place, meterOf),
    events: eventBridgeService(buses, place, meterOf),
    secretsmanager: secretsManagerService(secrets, place, meterOf),
    sqs: sqsService(queues, place),
  };
  const stacks: Engines['stacks'] = new Map();
  endpoint.add('cloudformation', cloudformationService(access, place, stacks));
  endpoint.add('lambda', lambdaService(host, access, place));
  endpoint.add('sts', stsService(access, place));
  endpoint.add('s3', s3Service(fauxqs, meterOf, access));
  for (const [name, service] of Object.entries(services)) {
    endpoint.add(name, jsonService(access, service));
  }
  const parts = { queues, tables, secrets, buses, targets, host };
  return {
    ...parts,
    place,
    meter,
    operatorMeter,
    access,
    callers,
    fauxqs,
    stacks,
    async stop() {
      stopping.abort();
      await host.stop();
      await endpoint.close();
      // Ends every long poll.
      await fauxqs.close();
    },
  };
}

async function startHost(
  { environment: extra = {}, onLog, onProcess }: EngineOptions,
  workDirectory: string,
  { place, meter, access }: Pick<Engines, 'place' | 'meter' | 'access'>,
): Promise<FunctionHost> {
  const environment = {
    region: place.region,
    endpointUrl: place.endpointUrl,
    extra,
    homeDirectory: workDirectory,
    compileCacheDirectory: await compileCacheIn(workDirectory),
  };
  const mayLog = mayLogBy(access, place);
  return new FunctionHost({ environment, meter, mayLog, onLog, onProcess });
}

/** Secrets Manager puts it on the default bus by itself (user guide, "Secret Label Updated event"). */
function labelUpdated({ name, arn, versionId }: Secret): NewEvent {
  return {
    source: 'aws.secretsmanager',
    detailType: 'Secret Label Updated',
    detail: { name, labelUpdated: 'AWSCURRENT', versionId },
    resources: [arn],
  };
}
