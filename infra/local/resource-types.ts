import { SettingError } from '../../lib/errors.ts';
import type { InertType, ResourceType } from './resource-type.ts';
import { apiGatewayV2Api } from './resources/api-gateway-v2-api.ts';
import { apiGatewayV2Authorizer } from './resources/api-gateway-v2-authorizer.ts';
import { apiGatewayV2Integration } from './resources/api-gateway-v2-integration.ts';
import { apiGatewayV2Route } from './resources/api-gateway-v2-route.ts';
import { apiGatewayV2Stage } from './resources/api-gateway-v2-stage.ts';
import { dynamoDbTable } from './resources/dynamo-db-table.ts';
import { eventsRule } from './resources/events-rule.ts';
import { iamPolicy } from './resources/iam-policy.ts';
import { iamRole } from './resources/iam-role.ts';
import { lambdaEventSourceMapping } from './resources/lambda-event-source-mapping.ts';
import { lambdaFunction } from './resources/lambda-function.ts';
import { lambdaPermission } from './resources/lambda-permission.ts';
import { s3Bucket } from './resources/s3-bucket.ts';
import { s3BucketPolicy } from './resources/s3-bucket-policy.ts';
import { schedulerSchedule } from './resources/scheduler-schedule.ts';
import { schedulerScheduleGroup } from './resources/scheduler-schedule-group.ts';
import { secretsManagerSecret } from './resources/secrets-manager-secret.ts';
import { sqsQueue } from './resources/sqs-queue.ts';
import { sqsQueuePolicy } from './resources/sqs-queue-policy.ts';

/** Every resource type that the local stack makes: one file each, named like the type. */
export const resourceTypes: readonly ResourceType[] = [
  apiGatewayV2Api,
  apiGatewayV2Authorizer,
  apiGatewayV2Integration,
  apiGatewayV2Route,
  apiGatewayV2Stage,
  dynamoDbTable,
  eventsRule,
  iamPolicy,
  iamRole,
  lambdaEventSourceMapping,
  lambdaFunction,
  lambdaPermission,
  s3Bucket,
  s3BucketPolicy,
  schedulerSchedule,
  schedulerScheduleGroup,
  secretsManagerSecret,
  sqsQueue,
  sqsQueuePolicy,
];

const NOT_WATCHED = 'nothing is charted or alarmed here; usage() holds the numbers';
const NOT_QUERIED = 'there is no Athena here; npm start leaves the files themselves';

/** Every resource type that is part of the deployed stack and needs nothing on this machine. */
export const inertTypes: readonly InertType[] = [
  { type: 'AWS::CDK::Metadata', reason: 'says to AWS which constructs were used' },
  { type: 'AWS::CloudWatch::Alarm', reason: NOT_WATCHED },
  { type: 'AWS::CloudWatch::Dashboard', reason: NOT_WATCHED },
  {
    type: 'AWS::EC2::SecurityGroup',
    reason: 'functions run in the network of this machine',
    identity: (name) => ({ attributes: { GroupId: name } }),
  },
  { type: 'AWS::Glue::Database', reason: NOT_QUERIED },
  { type: 'AWS::Glue::Table', reason: NOT_QUERIED },
  {
    type: 'AWS::Logs::LogGroup',
    reason: 'the lines of functions go to the log sink of the run',
    identity: (name, { region, accountId }) => ({
      arn: `arn:aws:logs:${region}:${accountId}:log-group:${name}:*`,
    }),
  },
  { type: 'AWS::Logs::QueryDefinition', reason: NOT_WATCHED },
];

const known = new Map<string, ResourceType>(
  [...resourceTypes, ...inertTypes].map((type) => [type.type, type]),
);

/** @throws SettingError naming the resource and what to do, for a type that is not known. */
export function knownTypeOf(type: string, logicalId: string): ResourceType {
  const found = known.get(type);
  if (found !== undefined) return found;
  throw new SettingError(
    `${logicalId} (${type})`,
    'the local stack does not know this resource type: add a file to infra/local/resources and to the list ' +
      'in resource-types.ts, or to the one below it if nothing is needed of it on this machine',
  );
}
