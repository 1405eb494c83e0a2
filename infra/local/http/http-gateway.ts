import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { portProblem } from '../../command-line/port.ts';
import { limiterOf } from '../../simulator/rate-limit.ts';
import type { Callers } from '../endpoint/callers.ts';
import { isFromHere, listenHere } from '../endpoint/local-server.ts';
import { pathAndQuery } from '../endpoint/signature.ts';
import type { UsageMeter } from '../endpoint/usage.ts';
import type { Access } from '../iam/access.ts';
import type { FunctionInvoker } from '../lambda/function-host.ts';
import type { AccountPlace } from '../template/place.ts';
import { authorize } from './authorize.ts';
import type { HttpApi, HttpRoute } from './http-api.ts';
import { answerOf, type HttpAnswer, requestEvent } from './payload.ts';

export type HttpGateway = Awaited<ReturnType<typeof startHttpGateway>>;

interface GatewayServices {
  readonly host: FunctionInvoker;
  readonly access: Pick<Access, 'refusal' | 'serviceRefusal'>;
  readonly callers: Callers;
  readonly place: AccountPlace;
  readonly meter: Pick<UsageMeter, 'httpRequest'>;
}

/** API Gateway quotas: "Payload size" of an HTTP API. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024;

type Respond = (request: IncomingMessage) => Promise<HttpAnswer>;

/**
 * Starts the API Gateway of one HTTP API on this machine, at 127.0.0.1.
 *
 * @param port 0 for any free one.
 * @throws SettingError naming `httpPort` when it is taken.
 */
export async function startHttpGateway(port: number) {
  let respond: Respond = async () => refusal('Service Unavailable');
  const server = createServer((request, response) => {
    response.on('error', ignore);
    const answering = isFromHere(request) ? respond(request) : Promise.resolve(FOREIGN);
    answering.then(
      (answer) => send(response, answer),
      (error) => send(response, refusal('Internal Server Error', String(error))),
    );
  });
  const listening = await listenHere(server, port).catch((error: unknown) => {
    throw portProblem('httpPort', port, error);
  });
  return {
    ...listening,
    /** Begins to answer; until then everything is answered with 503. */
    serve(api: HttpApi, services: GatewayServices): void {
      respond = responderOf(api, services);
    },
  };
}

const REFUSALS = {
  'Bad Request': 400,
  Unauthorized: 401,
  Forbidden: 403,
  'Not Found': 404,
  'Request Entity Too Large': 413,
  'Too Many Requests': 429,
  'Internal Server Error': 500,
  'Service Unavailable': 503,
} as const;

/** @param gatewayFailed Why, for a fault of this gateway: API Gateway has no such member. */
function refusal(message: keyof typeof REFUSALS, gatewayFailed?: string): HttpAnswer {
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.from(JSON.stringify({ message, gatewayFailed }));
  return { status: REFUSALS[message], headers, body };
}

/** For a web page elsewhere, and for a name that only leads here. */
const FOREIGN = refusal('Forbidden');

function responderOf(api: HttpApi, services: GatewayServices): Respond {
  const { meter, place } = services;
  const throttle = api.stage?.throttle;
  const limiter = limiterOf(throttle ? { kind: 'token-bucket', ...throttle } : { kind: 'none' });
  return async (request) => {
    const [path, query] = pathAndQuery(request.url);
    const { method = '' } = request;
    const route = routeFor(api.routes, method, path);
    if (route === undefined) return refusal('Not Found');
    const rawPath = decoded(path);
    if (rawPath === undefined) return refusal('Bad Request');
    if (limiter(Date.now()).kind === 'throttled') return refusal('Too Many Requests');
    const called = arnOf(api, place, method + path);
    const authorization = authorize(route.authorization, request, called, services);
    if (authorization.kind === 'refused') return refusal(authorization.as);
    const body = await readBody(request);
    if (body === undefined) return refusal('Request Entity Too Large');
    const authorizer = await authorization.letIn(body);
    if (authorizer === undefined) return refusal('Forbidden');
    // What was refused until here is not billed: unknown routes, throttles and callers without a right.
    meter.httpRequest(body.length);
    if (!mayInvoke(api, route, method, services)) return refusal('Internal Server Error');
    const { routeKey } = route;
    const event = requestEvent(request, { routeKey, rawPath, query, body, authorizer });
    return invoke(services.host, route, JSON.stringify(event));
  };
}

/** The one of the method goes before that of any. No other two routes of the stack take the same path. */
function routeFor(
  routes: readonly HttpRoute[],
  method: string,
  path: string,
): HttpRoute | undefined {
  const here = routes.filter((route) => takes(route.path, path));
  const of = (wanted: string) => here.find((route) => route.method === wanted);
  return of(method) ?? of('ANY');
}

/** Whether a path is for a route, of whose segments `{name}` stands for any one. */
function takes(template: string, path: string): boolean {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (given.length !== expected.length) return false;
  return expected.every((one, index) =>
    one.startsWith('{') ? given[index] !== '' : one === given[index],
  );
}

/** `undefined` for what cannot be percent-decoded. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/**
 * Whether the function's policy (`AWS::Lambda::Permission`) lets the route in (API Gateway developer guide,
 * "Control access to an HTTP API", source ARN of a route).
 */
function mayInvoke(
  api: HttpApi,
  route: HttpRoute,
  method: string,
  { access, place }: GatewayServices,
): boolean {
  const source = arnOf(api, place, method + route.path);
  const request = { action: 'lambda:InvokeFunction', resource: route.function.arn };
  return access.serviceRefusal('apigateway.amazonaws.com', source, request) === undefined;
}

/** @param called Method and path, such as `GET/connections/demo/exports`. */
function arnOf({ apiId }: HttpApi, { region, accountId }: AccountPlace, called: string): string {
  return `arn:aws:execute-api:${region}:${accountId}:${apiId}/$default/${called}`;
}

async function invoke(host: FunctionInvoker, route: HttpRoute, event: string): Promise<HttpAnswer> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), route.timeoutMs);
  const outcome = await Promise.race([host.invoke(route.function, event), late.promise]);
  clearTimeout(timer);
  if (outcome === 'late') return refusal('Service Unavailable');
  if (outcome.kind === 'failed') return refusal('Internal Server Error');
  return answerOf(JSON.parse(outcome.payload)) ?? refusal('Internal Server Error');
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

function ignore(): void {}
