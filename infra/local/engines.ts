import { setTimeout as wait } from 'node:timers/promises';
import type { RefusalOf } from './endpoint/aws-call.ts';
import { startAwsEndpoint } from './endpoint/aws-endpoint.ts';
import { createUsageMeter, type UsageMeter } from './endpoint/usage.ts';
import { type Access, createAccess, type Denial, OPERATOR } from './iam/access.ts';
import type { IamRequest } from './iam/request.ts';
import { createAsyncInvoker } from './lambda/async-invoker.ts';
import { createFunctionHost, type FunctionHost } from './lambda/function-host.ts';
import type { LogLine } from './lambda/function-process.ts';
import { mayLog } from './lambda/may-log.ts';
import { withInvoke } from './lambda/with-invoke.ts';
import { type DynamodbEngine, startDynamodbEngine } from './services/dynamodb/dynamodb-engine.ts';
import { dynamodbRequests } from './services/dynamodb/dynamodb-requests.ts';
import { dynamodbService } from './services/dynamodb/dynamodb-service.ts';
import { deliveryRefusal } from './services/eventbridge/delivery-refusal.ts';
import { eventBridgeService } from './services/eventbridge/event-bridge-service.ts';
import { createEventBuses, type EventBuses } from './services/eventbridge/event-buses.ts';
import { eventRequests } from './services/eventbridge/event-requests.ts';
import { createTargets, type Targets } from './services/eventbridge/targets.ts';
import { s3Service } from './services/s3/s3-service.ts';
import { createSecretStore, type SecretStore } from './services/secrets-manager/secret-store.ts';
import { secretsManagerService } from './services/secrets-manager/secrets-manager-service.ts';
import { secretsRequests } from './services/secrets-manager/secrets-requests.ts';
import { createQueues, type Queues } from './services/sqs/queues.ts';
import { type QueueEngine, startQueueEngine } from './services/sqs/sqs-engine.ts';
import { sqsRequests } from './services/sqs/sqs-requests.ts';
import { sqsService } from './services/sqs/sqs-service.ts';
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
