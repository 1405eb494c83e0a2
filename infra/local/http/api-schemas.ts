import * as v from 'valibot';

/** A property that changes nothing here; every other one that a schema does not name is refused. */
const inert = v.optional(v.unknown());
const number = v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.finite());

export const apiSchema = v.strictObject({
  Name: v.string(),
  ProtocolType: v.literal('HTTP', 'only HTTP APIs are run here'),
  Description: inert,
  Tags: inert,
});

export const stageSchema = v.strictObject({
  ApiId: v.string(),
  StageName: v.literal('$default', 'only the stage $default is run here, whose path is the root'),
  AutoDeploy: v.literal(true, 'a stage without AutoDeploy serves nothing until it is deployed'),
  DefaultRouteSettings: v.optional(
    v.strictObject({
      ThrottlingRateLimit: v.optional(number),
      ThrottlingBurstLimit: v.optional(number),
      DetailedMetricsEnabled: inert,
    }),
    {},
  ),
  // Nothing is charted here, and the lines of the functions go to the log sink of the run.
  AccessLogSettings: inert,
  Description: inert,
  Tags: inert,
});

export const routeSchema = v.strictObject({
  ApiId: v.string(),
  RouteKey: v.union([
    v.literal('$default'),
    v.pipe(v.string(), v.regex(/^[A-Z]+ \/\S*$/, 'expected a method and a path')),
  ]),
  Target: v.pipe(
    v.string(),
    v.regex(/^integrations\/[^/]+$/, 'expected integrations/ and the id of one'),
  ),
  AuthorizationType: v.optional(v.picklist(['NONE', 'AWS_IAM', 'JWT']), 'NONE'),
  AuthorizerId: v.optional(v.string()),
  // Tokens are not verified here, so nobody could say which scopes they have.
  AuthorizationScopes: inert,
  OperationName: inert,
});

export const integrationSchema = v.strictObject({
  ApiId: v.string(),
  IntegrationType: v.literal('AWS_PROXY', 'only functions are run here'),
  IntegrationUri: v.string(),
  PayloadFormatVersion: v.literal('2.0', 'only payload format 2.0 is run here'),
  // API Gateway quotas: "Maximum integration timeout" of an HTTP API.
  TimeoutInMillis: v.optional(v.pipe(number, v.minValue(50), v.maxValue(30_000)), 30_000),
  Description: inert,
});

export const authorizerSchema = v.strictObject({
  ApiId: v.string(),
  Name: v.string(),
  AuthorizerType: v.literal('JWT', 'only JWT authorizers are known here'),
  IdentitySource: v.strictTuple([
    v.literal('$request.header.Authorization', 'only the header Authorization is read here'),
  ]),
  JwtConfiguration: v.strictObject({ Issuer: v.string(), Audience: v.array(v.string()) }),
});
