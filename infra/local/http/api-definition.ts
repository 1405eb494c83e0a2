import type * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import type { FunctionDefinition } from '../lambda/function-definition.ts';
import { parseBorder } from '../template/parse-border.ts';
import type { StackScope } from '../template/stack-scope.ts';
import {
  apiSchema,
  authorizerSchema,
  integrationSchema,
  routeSchema,
  stageSchema,
} from './api-schemas.ts';
import type { RouteKey } from './match-route.ts';

/** An HTTP API as the template declares it. */
export interface HttpApiDefinition {
  readonly logicalId: string;
  /** The physical name, by which its address is known. */
  readonly name: string;
  readonly apiId: string;
  readonly routes: readonly HttpRoute[];
  /** `undefined`: as often as anyone likes. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number } | undefined;
}

export interface HttpRoute extends RouteKey {
  readonly function: FunctionDefinition;
  readonly timeoutMs: number;
  readonly authorization: 'NONE' | 'AWS_IAM' | 'JWT';
}

const TYPE = {
  api: 'AWS::ApiGatewayV2::Api',
  stage: 'AWS::ApiGatewayV2::Stage',
  route: 'AWS::ApiGatewayV2::Route',
  integration: 'AWS::ApiGatewayV2::Integration',
  authorizer: 'AWS::ApiGatewayV2::Authorizer',
} as const;

/**
 * Reads the HTTP APIs of a template whose functions have been made.
 *
 * @param findFunction By ARN.
 * @throws SettingError naming the logical id, the type and what cannot be run.
 */
export function httpApiDefinitions(
  scope: StackScope,
  findFunction: (arn: string) => FunctionDefinition | undefined,
): readonly HttpApiDefinition[] {
  const apis = all(scope, TYPE.api, apiSchema);
  const stages = all(scope, TYPE.stage, stageSchema);
  const integrations = all(scope, TYPE.integration, integrationSchema);
  const authorizers = all(scope, TYPE.authorizer, authorizerSchema);
  const routes = all(scope, TYPE.route, routeSchema);

  return apis.map(({ logicalId, ref: apiId }) => {
    const stage = stages.find(({ properties }) => properties.ApiId === apiId);
    if (stage === undefined) {
      throw new SettingError(`${logicalId} (${TYPE.api})`, 'it has no stage, so nobody reaches it');
    }
    return {
      logicalId,
      apiId,
      name: scope.identityOf(logicalId).name,
      routes: routes.filter(({ properties }) => properties.ApiId === apiId).map(routeOf),
      throttle: throttleOf(stage.properties),
    };
  });

  function routeOf({ logicalId, properties }: Found<typeof routeSchema>): HttpRoute {
    const place = `${logicalId} (${TYPE.route})`;
    const { RouteKey, Target, AuthorizationType, AuthorizerId } = properties;
    const integration = integrations.find(({ ref }) => `integrations/${ref}` === Target);
    const target = integration && findFunction(integration.properties.IntegrationUri);
    if (integration === undefined || target === undefined) {
      throw new SettingError(place, `its target ${Target} leads to no function of the stack`);
    }
    if (AuthorizationType === 'JWT' && !authorizers.some(({ ref }) => ref === AuthorizerId)) {
      throw new SettingError(place, 'it asks for a token, but there is no such authorizer');
    }
    const [method = '', path = '/'] = RouteKey.split(' ');
    return {
      routeKey: RouteKey,
      ...(RouteKey === '$default' ? { method: 'ANY', path: '$default' } : { method, path }),
      function: target,
      timeoutMs: integration.properties.TimeoutInMillis,
      authorization: AuthorizationType,
    };
  }
}

interface Found<Schema extends v.GenericSchema> {
  readonly logicalId: string;
  readonly ref: string;
  readonly properties: v.InferOutput<Schema>;
}

function all<const Schema extends v.GenericSchema>(
  scope: StackScope,
  type: string,
  schema: Schema,
): readonly Found<Schema>[] {
  return scope.order
    .filter((id) => scope.typeOf(id) === type)
    .map((logicalId) => ({
      logicalId,
      ref: scope.identityOf(logicalId).ref,
      properties: parseBorder(schema, scope.propertiesOf(logicalId), `${logicalId} (${type})`),
    }));
}

/** A template that sets only one of the two leaves the other to the quota of the account. */
function throttleOf({ DefaultRouteSettings }: v.InferOutput<typeof stageSchema>) {
  const { ThrottlingRateLimit, ThrottlingBurstLimit } = DefaultRouteSettings;
  if (ThrottlingRateLimit === undefined || ThrottlingBurstLimit === undefined) return undefined;
  return { ratePerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit };
}
