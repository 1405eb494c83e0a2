import { listUnclearWrites } from './list-unclear-writes.ts';
import { requestWrite } from './request-write.ts';
import { WRITE_ROUTES } from './routes.ts';
import { settleWrite } from './settle-write.ts';
import { showWrite } from './show-write.ts';
import { type WriteApiServices, writeRouteOf } from './write-route.ts';

/** The routes of writes, as the router takes them. */
export function writeRoutes(services: WriteApiServices) {
  return [
    { ...WRITE_ROUTES.requestWrite, handler: writeRouteOf(services, requestWrite) },
    { ...WRITE_ROUTES.listUnclearWrites, handler: writeRouteOf(services, listUnclearWrites) },
    { ...WRITE_ROUTES.showWrite, handler: writeRouteOf(services, showWrite) },
    { ...WRITE_ROUTES.settleWrite, handler: writeRouteOf(services, settleWrite) },
  ];
}
