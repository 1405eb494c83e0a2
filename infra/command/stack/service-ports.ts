import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import {
  clientSettings,
  presigningClientSettings,
} from '../../../functions/aws/client-settings.ts';
import { systemRandom as random } from '../../../functions/aws/clock-and-random.ts';
import { createEventBus } from '../../../functions/aws/events.ts';
import { createChangeItems } from '../../../functions/aws/ledger/change-items.ts';
import { createGates } from '../../../functions/aws/ledger/gates.ts';
import { createLedger, openLedger } from '../../../functions/aws/ledger/ledger.ts';
import { createWriteItems } from '../../../functions/aws/ledger/write-items.ts';
import { createPresignUrl } from '../../../functions/aws/presigned-urls.ts';
import { createQueue } from '../../../functions/aws/queue.ts';
import { createStore } from '../../../functions/aws/store.ts';
import { onSharedClock } from '../../../lib/gate/gates-on-shared-clock.ts';
import type { Connections, OpenKey } from '../../../lib/gate/ports.ts';
import { CommandError } from '../command-error.ts';
import type { CalledResources } from './missing-right.ts';
import { type ClientSettings, safeClient } from './safe-client.ts';

export interface IntegrationPlaces {
  readonly integrationId: string;
  readonly table: string;
  readonly bucket: string;
  readonly exportQueueUrl: string;
  /** Absent where no operation is declared. */
  readonly writeQueueUrl: string | undefined;
}

/** What the routes work with, made with the credentials of a person. */
export type ServicePorts = ReturnType<typeof createServicePorts>;

/** A laptop is farther from a region than its functions are. */
const TIMEOUTS = {
  connectionTimeout: 5_000,
  requestTimeout: 30_000,
  socketTimeout: 30_000,
} as const;

export function createServicePorts(clients: ClientSettings, places: IntegrationPlaces) {
  // A safe client looks at each address, and at those of a profile too.
  const usual = clientSettings({});
  const requestHandler = { ...usual.requestHandler, ...TIMEOUTS };
  const settings = { ...usual, ...clients, requestHandler };
  const { table, shared, clock } = openLedger(
    safeClient(new DynamoDBClient(settings)),
    places.table,
  );
  const gates = onSharedClock(createGates(table), shared);
  const ledger = createLedger(table);
  const changes = createChangeItems(table);
  const s3 = safeClient(new S3Client({ ...presigningClientSettings({}), ...settings }));
  const writeLedger = createWriteItems(table, random);
  const { writeQueueUrl, exportQueueUrl } = places;
  const resources: CalledResources = {
    ...{ table: places.table, bucket: places.bucket },
    queues: [exportQueueUrl, ...(writeQueueUrl === undefined ? [] : [writeQueueUrl])],
  };
  return {
    resources,
    exports: { clock, ledger, gates, changes },
    files: {
      clock,
      ledger: { ...ledger, ...changes },
      store: createStore(s3, places.bucket),
      presignUrl: createPresignUrl(s3, places.bucket),
    },
    writes: writeQueueUrl === undefined ? undefined : { clock, ledger: writeLedger },
    deciding: (bus: string) => {
      const sqs = safeClient(new SQSClient(settings));
      const events = createEventBus(
        safeClient(new EventBridgeClient(settings)),
        bus,
        places.integrationId,
      );
      const common = { clock, random, gates, events, connections: NO_KEYS };
      const queue = createQueue(sqs, exportQueueUrl, clock);
      return {
        exports: { ...common, ledger, queue },
        writes:
          writeQueueUrl === undefined
            ? undefined
            : { ...common, ledger: writeLedger, queue: createQueue(sqs, writeQueueUrl, clock) },
      };
    },
  };
}

/** No command reads a key: what would need one is left to the functions. */
const NO_KEYS: Connections<OpenKey> = {
  open: async () => {
    throw new CommandError(
      'The organization of the key has changed, and only the HTTP API, which may read the key, can send the write again. Drop it with --decision drop, and ask for it anew.',
    );
  },
};
