import { setTimeout as wait } from 'node:timers/promises';
import type { RefusalOf } from './endpoint/aws-call.ts';
import { startAwsEndpoint } from './endpoint/aws-endpoint.ts';
import { type DynamodbEngine, startDynamodbEngine } from './endpoint/dynamodb-engine.ts';
import { dynamodbService } from './endpoint/dynamodb-service.ts';
import { eventBridgeService } from './endpoint/event-bridge-service.ts';
import { createQueues, type Queues } from './endpoint/queues.ts';
import { s3Service } from './endpoint/s3-service.ts';
import { createSecretStore, type SecretStore } from './endpoint/secret-store.ts';
import { secretsManagerService } from './endpoint/secrets-manager-service.ts';
import { type QueueEngine, startQueueEngine } from './endpoint/sqs-engine.ts';
import { sqsService } from './endpoint/sqs-service.ts';
import { createUsageMeter, type UsageMeter } from './endpoint/usage.ts';
import { createEventBuses, type EventBuses } from './events/event-buses.ts';
import { createTargets, type Targets } from './events/targets.ts';
import { type Access, createAccess, type Denial, OPERATOR } from './iam/access.ts';
import { deliveryRefusal } from './iam/delivery-refusal.ts';
import { dynamodbRequests } from './iam/dynamodb-requests.ts';
import { eventRequests } from './iam/event-requests.ts';
import { mayLog } from './iam/may-log.ts';
import type { IamRequest } from './iam/request.ts';
import { secretsRequests } from './iam/secrets-requests.ts';
import { sqsRequests } from './iam/sqs-requests.ts';
import { withInvoke } from './iam/with-invoke.ts';
import { createAsyncInvoker } from './lambda/async-invoker.ts';
import { createFunctionHost, type FunctionHost } from './lambda/function-host.ts';
import type { LogLine } from './lambda/function-process.ts';
import { secretArn } from './template/made-resources.ts';
import type { Place } from './template/place.ts';

/** Everything that a stack runs on, wired; nothing of the template is in it yet. */
export interface Engines {
  readonly place: Place;
  readonly meter: UsageMeter;
  /** What the operator's own calls use, such as watching an export. */
  readonly operatorMeter: UsageMeter;
  readonly access: Access;
  readonly queueEngine: QueueEngine;
  readonly queues: Queues;
  readonly tables: DynamodbEngine;
  readonly secrets: SecretStore;
  readonly buses: EventBuses;
  readonly targets: Targets;
  readonly host: FunctionHost;
  admit(accessKeyId: string, caller: string): void;
  stop(): Promise<void>;
}

export interface EngineOptions {
  readonly place: Omit<Place, 'endpointUrl'>;
  readonly workDirectory: string;
  readonly functionEnvironment: Readonly<Record<string, string>>;
  readonly onLog: (line: LogLine) => void;
  readonly onDenied: (denial: Denial) => void;
}

export async function startEngines(options: EngineOptions): Promise<Engines> {
  const { workDirectory, functionEnvironment, onLog } = options;
  const endpoint = await startAwsEndpoint();
  const place: Place = { ...options.place, endpointUrl: endpoint.url };
  const stopping = new AbortController();
  const meter = createUsageMeter();
  const operatorMeter = createUsageMeter();
  const meterOf = (caller: string) => (caller === OPERATOR ? operatorMeter : meter);
  const access = createAccess(place, options.onDenied);
  const logs = mayLog(access, place);
  const queueEngine = await startQueueEngine();
  const queues = createQueues(queueEngine, place, meterOf);
  const tables = startDynamodbEngine();
  const processes = createFunctionHost(
    {
      region: place.region,
      endpointUrl: endpoint.url,
      extra: functionEnvironment,
      homeDirectory: workDirectory,
      compileCacheDirectory: `${workDirectory}/compile-cache`,
    },
    meter,
    (line) => {
      if (logs(line.functionName, processes.find(line.functionName)?.logGroup)) onLog(line);
    },
  );
  const host = withInvoke(processes, (definition, payload) => {
    logs(definition.name, definition.logGroup);
    return processes.invoke(definition, payload);
  });
  const invoker = createAsyncInvoker(host, queues, (ms) =>
    wait(ms, undefined, { signal: stopping.signal }),
  );
  const targets = createTargets(
    queues,
    host,
    invoker,
    (bus, event) => buses.put(bus, event),
    deliveryRefusal(access),
  );
  const buses: EventBuses = createEventBuses(place, targets);
  const secrets = createSecretStore(
    (name) => secretArn(name, place),
    // Secrets Manager tells the default bus by itself (user guide, "Secret Label Updated event").
    ({ name, arn }, versionId) =>
      buses.put('default', {
        source: 'aws.secretsmanager',
        detailType: 'Secret Label Updated',
        detail: { name, labelUpdated: 'AWSCURRENT', versionId },
        resources: [arn],
      }),
  );
  const refusalBy =
    (requests: (action: string, parameters: unknown) => readonly IamRequest[]): RefusalOf =>
    (caller, action, parameters) =>
      access.refusal(caller, requests(action, parameters));
  const asksSqs = refusalBy((action, parameters) => sqsRequests(action, parameters, place));
  const asksDynamodb = refusalBy((action, parameters) =>
    dynamodbRequests(action, parameters, place, tables.partitionKeyOf),
  );
  const asksSecrets = refusalBy((action, parameters) =>
    secretsRequests(action, parameters, secrets, place),
  );
  const asksEvents = refusalBy((action, parameters) => eventRequests(action, parameters, place));
  endpoint.add('sqs', sqsService(queues, asksSqs));
  endpoint.add('s3', s3Service(queueEngine, meterOf, access));
  endpoint.add('dynamodb', dynamodbService(tables, meterOf, asksDynamodb));
  endpoint.add('secretsmanager', secretsManagerService(secrets, meterOf, asksSecrets));
  endpoint.add('events', eventBridgeService(buses, meterOf, asksEvents));

  return {
    place,
    meter,
    operatorMeter,
    access,
    queueEngine,
    queues,
    tables,
    secrets,
    buses,
    targets,
    host,
    admit: endpoint.admit,
    async stop() {
      stopping.abort();
      await host.stop();
      await endpoint.close();
      // Ends every long poll.
      await queueEngine.close();
    },
  };
}
