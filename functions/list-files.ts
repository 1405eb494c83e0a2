import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { clientSettings, presigningClientSettings } from './aws/client-settings.ts';
import { systemClock } from './aws/clock-and-random.ts';
import { createExportItems } from './aws/ledger/export-items.ts';
import { createExportLines } from './aws/ledger/export-lines.ts';
import { LedgerTable } from './aws/ledger/ledger-table.ts';
import { createPresignUrl } from './aws/presigned-urls.ts';
import { createStore } from './aws/store.ts';
import { listFiles } from './http/list-files.ts';
import { ROUTES } from './http/routes.ts';
import { routesOf, serveRoutes } from './http/serve-routes.ts';
import { httpChain } from './middleware/http-chain.ts';
import { readVariable } from './services/environment.ts';

const table = new LedgerTable(new DynamoDBClient(clientSettings()), readVariable('ledgerTable'));
const client = new S3Client(presigningClientSettings());
const bucket = readVariable('exportBucket');
// Without access to the secrets it is not known which connections there are; the exports of the others are none.
const routeOf = routesOf({ isKnown: async () => true, settingsOf: () => undefined });

const routes = [
  routeOf(ROUTES.listFiles, listFiles, {
    ledger: { ...createExportItems(table), ...createExportLines(table) },
    store: createStore(client, bucket),
    presignUrl: createPresignUrl(client, bucket),
    clock: systemClock,
  }),
];

/**
 * Gives presigned URLs of the files of an export. A function of its own: its role signs them, so it may read exports,
 * and reaches neither keys nor queues; the other routes start without a client of S3.
 */
export const handler = httpChain().handler(serveRoutes(routes));
