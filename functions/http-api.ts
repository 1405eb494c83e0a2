import { withClient } from './aws/connections.ts';
import { createChangeItems } from './aws/ledger/change-items.ts';
import { cancelExport } from './http/cancel-export.ts';
import { decideChanges } from './http/decide-changes.ts';
import { listCustomers, listRecords } from './http/live-page.ts';
import { openGate } from './http/open-gate.ts';
import { requestWrite } from './http/request-write.ts';
import { ROUTES } from './http/routes.ts';
import { routesOf, serveRoutes } from './http/serve-routes.ts';
import { settleWrite } from './http/settle-write.ts';
import { listExports, showExport } from './http/show-exports.ts';
import { showGate } from './http/show-gate.ts';
import { listUnclearWrites, showWrite } from './http/show-writes.ts';
import { startExport } from './http/start-export.ts';
import { httpChain } from './middleware/http-chain.ts';
import { createClientOf } from './services/gated-clients.ts';
import {
  createChangePortsIfDeployed,
  createExportPorts,
  createWritePortsIfDeployed,
} from './services/ports.ts';
import { createServices } from './services/services.ts';

const services = createServices(withClient);
const ports = { ...createExportPorts(services), changes: createChangeItems(services.table) };
const changePorts = createChangePortsIfDeployed(services);
const writePorts = createWritePortsIfDeployed(services);
const clientOf = createClientOf(services, { events: ports.events });
const routeOf = routesOf(services);

const routes = [
  routeOf(ROUTES.startExport, startExport, ports),
  routeOf(ROUTES.listExports, listExports, ports),
  routeOf(ROUTES.showExport, showExport, ports),
  routeOf(ROUTES.cancelExport, cancelExport, ports),
  routeOf(ROUTES.showGate, showGate, ports),
  routeOf(ROUTES.openGate, openGate, { ...ports, writes: writePorts }),
  routeOf(ROUTES.listCustomers, listCustomers, { clientOf }),
  routeOf(ROUTES.listRecords, listRecords, { clientOf }),
];
if (changePorts !== undefined) {
  const decidePorts = { changes: changePorts, exports: ports.ledger };
  routes.push(routeOf(ROUTES.decideChanges, decideChanges, decidePorts));
}
if (writePorts !== undefined) {
  routes.push(
    routeOf(ROUTES.requestWrite, requestWrite, writePorts),
    routeOf(ROUTES.listUnclearWrites, listUnclearWrites, writePorts),
    routeOf(ROUTES.showWrite, showWrite, writePorts),
    routeOf(ROUTES.settleWrite, settleWrite, writePorts),
  );
}

/** Serves the HTTP API: starts and shows exports, reads live pages, and takes and settles writes. */
export const handler = httpChain().handler(serveRoutes(routes));
