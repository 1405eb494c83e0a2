import { hash } from 'node:crypto';
import * as v from 'valibot';
import { inert, resourceType } from '../resource-type.ts';

export const apiGatewayV2Api = resourceType({
  type: 'AWS::ApiGatewayV2::Api',
  schema: v.strictObject({
    Name: v.string(),
    ProtocolType: v.literal('HTTP', 'only HTTP APIs are run here'),
    Description: inert,
  }),
  identity: (name, { httpApiUrl = '' }) => {
    const ref = hash('sha256', name).slice(0, 10);
    return { ref, attributes: { ApiEndpoint: httpApiUrl } };
  },
  make: ({ logicalId, ref }, { httpApis }) => httpApis.add(logicalId, ref),
});
