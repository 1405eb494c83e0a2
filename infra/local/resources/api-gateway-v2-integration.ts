import * as v from 'valibot';
import { integer, resourceType } from '../resource-type.ts';

export const apiGatewayV2Integration = resourceType({
  type: 'AWS::ApiGatewayV2::Integration',
  schema: v.strictObject({
    ApiId: v.string(),
    IntegrationType: v.literal('AWS_PROXY', 'only functions are run here'),
    IntegrationUri: v.string(),
    PayloadFormatVersion: v.literal('2.0', 'only payload format 2.0 is run here'),
    // API Gateway quotas: "Maximum integration timeout" of an HTTP API.
    TimeoutInMillis: v.optional(v.pipe(integer, v.minValue(50), v.maxValue(30_000)), 30_000),
  }),
  make: ({ ref, place, properties }, { engines, httpApis }) => {
    const { ApiId, IntegrationUri, TimeoutInMillis: timeoutMs } = properties;
    const definition = engines.host.get(IntegrationUri, place);
    httpApis.of(ApiId, place).integrations.set(ref, { function: definition, timeoutMs });
  },
});
