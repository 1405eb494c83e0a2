import * as v from 'valibot';
import { inert, resourceType } from '../resource-type.ts';

export const apiGatewayV2Stage = resourceType({
  type: 'AWS::ApiGatewayV2::Stage',
  schema: v.strictObject({
    ApiId: v.string(),
    StageName: v.literal('$default', 'only the stage $default is run here, whose path is the root'),
    AutoDeploy: v.literal(true, 'a stage without AutoDeploy serves nothing until it is deployed'),
    DefaultRouteSettings: v.optional(
      v.strictObject({ ThrottlingRateLimit: v.number(), ThrottlingBurstLimit: v.number() }),
    ),
    // The lines of the functions go to the log sink of the run.
    AccessLogSettings: inert,
  }),
  nameProperty: 'StageName',
  make: ({ place, properties: { ApiId, DefaultRouteSettings: settings } }, { httpApis }) => {
    const throttle = settings && {
      ratePerSecond: settings.ThrottlingRateLimit,
      burst: settings.ThrottlingBurstLimit,
    };
    httpApis.of(ApiId, place).stage = { throttle };
  },
});
