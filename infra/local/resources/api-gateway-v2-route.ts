import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { inert, resourceType } from '../resource-type.ts';

export const apiGatewayV2Route = resourceType({
  type: 'AWS::ApiGatewayV2::Route',
  schema: v.strictObject({
    ApiId: v.string(),
    RouteKey: v.pipe(
      v.string(),
      v.regex(
        /^[A-Z]+ (\/([\w.-]+|\{\w+\}))+$/,
        'expected a method and a path, {name} for any segment',
      ),
    ),
    Target: v.string(),
    AuthorizationType: v.picklist(['AWS_IAM', 'JWT']),
    // Tokens are not verified here, so nothing of their authorizer is needed.
    AuthorizerId: inert,
  }),
  make: ({ place, properties }, { httpApis }) => {
    const { ApiId, RouteKey, Target, AuthorizationType } = properties;
    const api = httpApis.of(ApiId, place);
    const integration = api.integrations.get(Target.replace(/^integrations\//, ''));
    if (integration === undefined) {
      throw new SettingError(place, `its target ${Target} leads to no function of its API`);
    }
    const [method = '', path = ''] = RouteKey.split(' ');
    const authorization = AuthorizationType;
    api.routes.push({ routeKey: RouteKey, method, path, authorization, ...integration });
  },
});
