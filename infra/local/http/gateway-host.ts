import * as v from 'valibot';
import type { Access } from '../iam/access.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import { withInvoke } from '../lambda/with-invoke.ts';
import type { Place } from '../template/place.ts';

/** The part of API Gateway's event that says which route called. */
const eventSchema = v.object({
  routeKey: v.string(),
  requestContext: v.object({
    apiId: v.string(),
    stage: v.string(),
    http: v.object({ method: v.string() }),
  }),
});

/**
 * Invokes functions for API Gateway, where their policies (`AWS::Lambda::Permission`) let the route in
 * (API Gateway developer guide, "Control access to an HTTP API", source ARN of a route).
 */
export function gatewayHost(
  host: FunctionHost,
  access: Access,
  { region, accountId }: Place,
): FunctionHost {
  return withInvoke(host, async (definition, payload) => {
    const { routeKey, requestContext } = v.parse(eventSchema, JSON.parse(payload));
    const { apiId, stage, http } = requestContext;
    const [, path] = /^\S+ (\/.*)$/.exec(routeKey) ?? [];
    const route = path === undefined ? routeKey : http.method + path;
    const source = `arn:aws:execute-api:${region}:${accountId}:${apiId}/${stage}/${route}`;
    const request = { action: 'lambda:InvokeFunction', resource: definition.arn, context: {} };
    const denial = access.serviceRefusal('apigateway.amazonaws.com', source, request);
    if (denial === undefined) return host.invoke(definition, payload);
    const error = { errorType: 'AccessDeniedException', errorMessage: denial.message };
    return { kind: 'failed', error };
  });
}
