import * as v from 'valibot';
import { inert, resourceType } from '../resource-type.ts';

/** A route under it asks for a token of the right form; see `authorize`. */
export const apiGatewayV2Authorizer = resourceType({
  type: 'AWS::ApiGatewayV2::Authorizer',
  schema: v.strictObject({
    ApiId: v.string(),
    Name: inert,
    AuthorizerType: v.literal('JWT', 'only JWT authorizers are known here'),
    IdentitySource: v.strictTuple([
      v.literal('$request.header.Authorization', 'only the header Authorization is read here'),
    ]),
    JwtConfiguration: inert,
  }),
  make: () => {},
});
