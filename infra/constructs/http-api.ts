import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi as AwsHttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { type PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ROUTES, type RouteSpec } from '../../functions/http/routes.ts';
import { EXPORT_ID_PATTERNS } from '../../lib/exports/export-id.ts';
import { WildcardStatement } from './foundation/acknowledge.ts';
import type { LambdaFunction } from './foundation/lambda-function.ts';
import { logGroup } from './foundation/log-group.ts';
import {
  type HttpFunctionProps,
  httpApiFunction,
  listChangesFunction,
  listFilesFunction,
} from './http-functions.ts';

/**
 * A person with a dashboard needs a few requests a second, and the customers API allows hardly more. At up to
 * 29 s a request, ten a second need at most 290 of an account's 1,000 concurrent executions.
 */
const DEFAULT_REQUESTS_PER_SECOND = 10;
/** Two pages of a dashboard that load at once. */
const DEFAULT_BURST = 20;

/** The stage without a name in the path. */
const STAGE = '$default';

export interface HttpApiSettings {
  /**
   * `iam`: callers sign requests (SigV4) and IAM authorizes them by path. Otherwise JWTs of an issuer. @default
   * 'iam'
   */
  readonly authorization?: 'iam' | JwtAuthorization | undefined;
  /** Rate of all callers together, 1 to 10,000. @default 10 */
  readonly requestsPerSecond?: number | undefined;
  /** Additional requests at once, 1 to 5,000. @default 20 */
  readonly burst?: number | undefined;
}

/** JSON Web Tokens. A valid token allows every connection of the stack. */
interface JwtAuthorization {
  /** URL of the issuer, `https:`. */
  readonly issuer: string;
  /** The token must have one of these audiences. */
  readonly audience: readonly string[];
}

export interface HttpApiProps extends HttpApiSettings, HttpFunctionProps {}

/** The HTTP API: starts and shows exports, reads live pages, and accepts and settles writes. */
export class HttpApi extends Construct {
  /** Without a trailing slash. */
  readonly url: string;
  readonly function: LambdaFunction;
  readonly listFiles: LambdaFunction;
  /** `undefined` when exports are not compared. */
  readonly listChanges: LambdaFunction | undefined;
  readonly #api: AwsHttpApi;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { authorization = 'iam', resources, writes, changes } = props;
    const { requestsPerSecond = DEFAULT_REQUESTS_PER_SECOND, burst = DEFAULT_BURST } = props;
    this.function = httpApiFunction(this, props);
    this.listFiles = listFilesFunction(this, props);
    this.listChanges = changes && listChangesFunction(this, props);
    const api = new AwsHttpApi(this, 'Api', {
      apiName: resources.integrationId,
      description: 'Starts and shows exports of customers, and reads live pages',
      createDefaultStage: false,
      defaultAuthorizer: authorizerOf(authorization),
    });
    const own = new FunctionIntegration('Function', api, this.function);
    const integrations = {
      exports: own,
      customers: own,
      gate: own,
      files: new FunctionIntegration('ListFiles', api, this.listFiles),
      writes: writes && own,
      decisions: changes && own,
      changes: this.listChanges && new FunctionIntegration('ListChanges', api, this.listChanges),
    } satisfies Readonly<Record<RouteSpec['of'], FunctionIntegration | undefined>>;
    for (const [path, { methods, of }] of servedPaths()) {
      const integration = integrations[of];
      if (integration === undefined) continue;
      // ANY is for all other methods: the function answers with the allowed ones.
      api.addRoutes({ path, methods: [...methods, HttpMethod.ANY], integration });
    }
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: requestsPerSecond, burstLimit: burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup(this, 'AccessLog')),
        format: ACCESS_LOG_FORMAT,
      },
    });
    this.url = api.apiEndpoint;
    this.#api = api;
  }

  /** @param connections Only these. @default - all */
  allow(what: HttpGrant, connections?: readonly string[]): PolicyStatement {
    const { method, below } = HTTP_GRANTS[what];
    const resources = (connections ?? ['*']).flatMap((name) =>
      below.map((path) =>
        this.#api.arnForExecuteApi(method, `/connections/${name}/${path}`, STAGE),
      ),
    );
    return new WildcardStatement(
      { actions: ['execute-api:Invoke'], resources },
      'Ids in paths are made at run time, and a grant may be for connections that are made later.',
    );
  }
}

export type HttpGrant = keyof typeof HTTP_GRANTS;

/** What a caller may be granted, as routes below a connection. */
const HTTP_GRANTS = {
  call: {
    method: '*',
    // A star after `exports/` would reach over the slash to the routes below.
    below: [
      'exports',
      ...EXPORT_ID_PATTERNS.map((id) => `exports/${id}`),
      'customers',
      'lists/*',
      'writes*',
      'gate',
    ],
  },
  listFiles: { method: 'GET', below: ['exports/*/files'] },
  listChanges: { method: 'GET', below: ['exports/*/changes'] },
  decideChanges: { method: 'POST', below: ['exports/*/changes/decision'] },
  cancelExport: { method: 'POST', below: ['exports/*/cancel'] },
  openGate: { method: 'POST', below: ['gate/opening'] },
} as const;

function authorizerOf(authorization: 'iam' | JwtAuthorization): IHttpRouteAuthorizer {
  if (authorization === 'iam') return new HttpIamAuthorizer();
  const { issuer, audience } = authorization;
  return new HttpJwtAuthorizer('Tokens', issuer, { jwtAudience: [...audience] });
}

/**
 * Invokes a function for any of its routes, by one permission. Not an HttpLambdaIntegration, which adds one for each
 * path: a sixth of the stack's resources. Only newer versions of the CDK have an option for it.
 */
class FunctionIntegration extends HttpRouteIntegration {
  readonly #function: LambdaFunction;

  constructor(id: string, api: AwsHttpApi, handler: LambdaFunction) {
    super(id);
    this.#function = handler;
    handler.addPermission('HttpApi', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: api.arnForExecuteApi(),
    });
  }

  bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#function.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    };
  }
}

interface ServedPath extends Pick<RouteSpec, 'of'> {
  readonly methods: readonly HttpMethod[];
}

function servedPaths(): ReadonlyMap<string, ServedPath> {
  const paths = new Map<string, ServedPath>();
  for (const { method, path, of } of Object.values(ROUTES)) {
    const methods = [...(paths.get(path)?.methods ?? []), HttpMethod[method]];
    paths.set(path, { methods, of });
  }
  return paths;
}

/** Who requested what, and the result. No query string: callers may put anything into it. */
const ACCESS_LOG_FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    caller: '$context.identity.userArn',
    subject: '$context.authorizer.claims.sub',
    sourceIp: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    path: '$context.path',
    routeKey: '$context.routeKey',
    status: '$context.status',
    responseBytes: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    integrationError: '$context.integrationErrorMessage',
    error: '$context.error.message',
  }),
);
