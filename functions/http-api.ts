import middy from '@middy/core';
import httpRouter from '@middy/http-router';
import httpSecurityHeaders from '@middy/http-security-headers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Answer } from './http/answer.ts';
import { listCustomers } from './http/list-customers.ts';
import { listExports } from './http/list-exports.ts';
import { noRoute } from './http/no-route.ts';
import type { Problem } from './http/problem.ts';
import { problemAnswers } from './http/problem-answers.ts';
import { routeOf } from './http/route.ts';
import { ROUTES } from './http/routes.ts';
import { showExport } from './http/show-export.ts';
import { startExport } from './http/start-export.ts';
import { writeRoutes } from './http/write-routes.ts';
import { invocationLog } from './middleware/invocation-log.ts';
import { createClientServices } from './services/client-services.ts';
import { createExportServices } from './services/export-services.ts';
import { createWriteControlIfDeployed } from './services/write-services.ts';

const clientServices = createClientServices();
const services = createExportServices(clientServices);
const writeServices = createWriteControlIfDeployed(clientServices, services.ports.connections);
const { log, redact } = services;

const routes = [
  { ...ROUTES.startExport, handler: routeOf(services, startExport) },
  { ...ROUTES.listExports, handler: routeOf(services, listExports) },
  { ...ROUTES.showExport, handler: routeOf(services, showExport) },
  { ...ROUTES.listCustomers, handler: routeOf(services, listCustomers) },
  ...(writeServices === undefined ? [] : writeRoutes({ ...writeServices, log })),
];

/** Serves the HTTP API: starts and shows exports, reads live pages, and takes and settles writes. */
export const handler = middy<APIGatewayProxyEventV2>()
  // Those left out speak of scripts and frames, which no JSON has.
  .use(httpSecurityHeaders({ contentSecurityPolicy: false, permissionsPolicy: false }))
  .use(problemAnswers())
  .use(invocationLog(log, redact))
  .handler(
    httpRouter<APIGatewayProxyEventV2, Answer | Problem>({
      routes,
      notFoundResponse: (asked) => noRoute(routes, asked),
    }),
  );
