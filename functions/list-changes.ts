import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { clientSettings, storeClientSettings } from './aws/client-settings.ts';
import { createChangeItems } from './aws/ledger/change-items.ts';
import { createExportItems } from './aws/ledger/export-items.ts';
import { createExportLines } from './aws/ledger/export-lines.ts';
import { LedgerTable } from './aws/ledger/ledger-table.ts';
import { createStore } from './aws/store.ts';
import { listChanges } from './http/list-changes.ts';
import { ROUTES } from './http/routes.ts';
import { routesOf, serveRoutes } from './http/serve-routes.ts';
import { httpChain } from './middleware/http-chain.ts';
import { readVariable } from './services/environment.ts';

const table = new LedgerTable(new DynamoDBClient(clientSettings()), readVariable('ledgerTable'));
const store = createStore(new S3Client(storeClientSettings()), readVariable('exportBucket'));
// Without access to the secrets it is not known which connections there are; the exports of the others are none.
const routeOf = routesOf({ isKnown: async () => true, settingsOf: () => undefined });

const ledger = {
  ...createExportItems(table),
  ...createExportLines(table),
  ...createChangeItems(table),
};
const routes = [routeOf(ROUTES.listChanges, listChanges, { ledger, store })];

/**
 * Gives pages of what exports changed. A function of its own: its role may read changes, and no other file, key or
 * queue; the other routes start without a client of S3.
 */
export const handler = httpChain().handler(serveRoutes(routes));
