import { Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { type ISubnet, SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';
import type { PlannedExports } from '../constructs/exports/planned-starts.ts';
import { acknowledge } from '../constructs/foundation/acknowledge.ts';
import type { FoundationProps } from '../constructs/foundation/foundation-props.ts';
import type { CustomersIntegrationProps } from '../constructs/integration-props.ts';
import type { AlarmOptions } from '../constructs/operations/alarms.ts';
import type { AlarmSettings } from './alarm-settings.ts';
import { type CustomersSettings, requireSettings } from './customers-settings.ts';
import { type GivenSchedule, isNoSchedule } from './schedule-settings.ts';

export const ScopeSchema = v.custom<Construct>(
  (given) => Construct.isConstruct(given),
  'expected a construct, such as a stack',
);

/** Parent of what is imported. */
const OWN = 'Own';
const SCOPE_EXPECTED =
  'expected one of its own for each integration, such as new Construct(stack, …): this one has a construct Own already, as settings make it';

/**
 * Turns settings into the props of a `CustomersIntegration`: names become resources, numbers become durations.
 *
 * @param scope Parent of the imported resources, under the id `Own`.
 * @param settings As `customersSettingsOf` gives them.
 * @throws SettingError naming the argument that is wrong, and the place in it.
 */
export function integrationPropsOf(
  scope: Construct,
  settings: CustomersSettings,
): CustomersIntegrationProps {
  parseSetting(ScopeSchema, scope, 'scope');
  requireSettings(settings);
  if (scope.node.tryFindChild(OWN) !== undefined) throw new SettingError('scope', SCOPE_EXPECTED);
  const own = new Construct(scope, OWN);
  const {
    connectionTable,
    schedules,
    listSchedules,
    secretPrefix,
    httpApi,
    alarms,
    keepExportsDays,
  } = settings;
  const { bucket, table, eventBus, schedule, maxConcurrentExports } = settings;
  const { keepDeletedDays, deletionProtection, describeExports, compareExports } = settings;
  const { tables, outputs } = settings;
  const { integrationId = Stack.of(scope).stackName } = settings;
  return {
    ...foundationPropsOf(own, settings),
    connectionTable,
    integrationId,
    schedule: schedule === undefined ? undefined : plannedExportsOf(schedule),
    maxConcurrentExports,
    schedules: plannedByName(schedules),
    listSchedules: {
      defaults: plannedByName(listSchedules.defaults),
      connections: Object.fromEntries(
        Object.entries(listSchedules.connections).map(([name, lists]) => [
          name,
          plannedByName(lists),
        ]),
      ),
    },
    secretPrefix,
    httpApi,
    alarms: alarms && alarmOptionsOf(own, alarms),
    keepExports: keepExportsDays === undefined ? undefined : Duration.days(keepExportsDays),
    keepDeleted:
      typeof keepDeletedDays === 'number' ? Duration.days(keepDeletedDays) : keepDeletedDays,
    deletionProtection,
    describeExports,
    compareExports,
    tables,
    outputs: outputs === false ? false : undefined,
    bucket: bucket === undefined ? undefined : Bucket.fromBucketName(own, 'Bucket', bucket),
    table: table === undefined ? undefined : Table.fromTableName(own, 'Table', table),
    eventBus:
      eventBus === undefined ? undefined : EventBus.fromEventBusName(own, 'EventBus', eventBus),
  };
}

function foundationPropsOf(own: Construct, settings: CustomersSettings): FoundationProps {
  const { encryptionKey, logRetentionDays, keyPatterns, removalPolicy } = settings;
  return {
    encryptionKey:
      encryptionKey === undefined ? undefined : Key.fromKeyArn(own, 'EncryptionKey', encryptionKey),
    logRetention: logRetentionDays,
    keyPatterns,
    removalPolicy: removalPolicy && REMOVAL_POLICIES[removalPolicy],
    ...networkOf(own, settings.vpc),
  };
}

const REMOVAL_POLICIES = {
  retain: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  destroy: RemovalPolicy.DESTROY,
} as const;

/** Imports by ids: a lookup would ask an account for what the settings hold. */
function networkOf(own: Construct, settings: CustomersSettings['vpc']): FoundationProps {
  if (settings === undefined) return {};
  const { vpcId, subnetIds, securityGroupIds } = settings;
  return {
    // Functions get their subnets by id, so the zone is never used.
    vpc: Vpc.fromVpcAttributes(own, 'Vpc', { vpcId, availabilityZones: ['not-asked-for'] }),
    vpcSubnets: { subnets: subnetIds.map((id) => subnetOf(own, id)) },
    securityGroups: securityGroupIds?.map((id) =>
      SecurityGroup.fromSecurityGroupId(own, id, id, { mutable: false }),
    ),
  };
}

function subnetOf(own: Construct, id: string): ISubnet {
  const subnet = Subnet.fromSubnetId(own, id, id);
  acknowledge(
    subnet,
    'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId',
    'Nothing is routed here: functions are only put into the subnet.',
  );
  return subnet;
}

function alarmOptionsOf(own: Construct, settings: AlarmSettings): AlarmOptions {
  const { topicArn, noCompleteExportHours: hours, runbookUrl } = settings;
  return {
    topic: topicArn === undefined ? undefined : Topic.fromTopicArn(own, 'Topic', topicArn),
    noCompleteExportAfter: hours === undefined ? undefined : Duration.hours(hours),
    runbook: runbookUrl,
  };
}

function plannedByName(given: Readonly<Record<string, GivenSchedule>>) {
  return Object.fromEntries(
    Object.entries(given).map(([name, each]) => [name, plannedExportsOf(each)]),
  );
}

function plannedExportsOf(given: GivenSchedule): PlannedExports {
  if (isNoSchedule(given)) return given;
  const settings = typeof given === 'string' ? { expression: given } : given;
  const { expression, timezone, flexibleWindowMinutes, enabled, start, end } = settings;
  const zone = timezone === undefined ? undefined : TimeZone.of(timezone);
  return {
    schedule: ScheduleExpression.expression(expression, zone),
    flexibleWindow:
      flexibleWindowMinutes === undefined ? undefined : Duration.minutes(flexibleWindowMinutes),
    enabled,
    start: start === undefined ? undefined : new Date(start),
    end: end === undefined ? undefined : new Date(end),
  };
}
