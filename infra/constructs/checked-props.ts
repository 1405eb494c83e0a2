import { type Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import * as v from 'valibot';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { recordOf } from '../../lib/record-of.ts';
import { MAX_NO_COMPLETE_EXPORT_HOURS } from '../settings/alarm-settings.ts';
import { checkedConnectionTable } from '../settings/connection-table.ts';
import { SETTING_NAMES } from '../settings/customers-settings.ts';
import { IntegrationIdSchema, SecretPrefixSchema } from '../settings/identity-settings.ts';
import { KeyPatternSchema } from '../settings/key-pattern.ts';
import { KNOWN_EXPECTED, known } from '../settings/known-value.ts';
import { namingNearest } from '../settings/nearest-setting.ts';
import { isNoSchedule, MAX_WINDOW_MINUTES } from '../settings/schedule-settings.ts';
import type { CustomersIntegrationProps } from './integration-props.ts';

type Schema = v.GenericSchema;

/**
 * Checks kinds and ranges of the props: JavaScript has no types, and no type knows a range.
 *
 * @throws SettingError naming the prop that is wrong.
 */
export function checkedProps(given: CustomersIntegrationProps): CustomersIntegrationProps {
  const names = [...Object.keys(PropsSchema.entries), ...PROP_NAMES, ...SETTING_NAMES];
  return namingNearest(names, PROPS_OF_SETTINGS, () => {
    parseOptions(PropsSchema, given, 'props');
    return { ...given, connectionTable: checkedConnectionTable(given.connectionTable) };
  });
}

/** On lower levels. */
const PROP_NAMES = [
  'defaults',
  'flexibleWindow',
  'topic',
  'noCompleteExportAfter',
  'runbook',
  'prefix',
];

/** What takes the place of settings of the file, by their names. The table is in docs/settings.md. */
export const PROPS_OF_SETTINGS: Readonly<Record<string, string>> = {
  connections: 'connectionTable.connections',
  baseUrl: 'connectionTable.defaults.baseUrl',
  keepExportsDays: 'keepExports, a Duration',
  keepDeletedDays: 'keepDeleted, a Duration',
  logRetentionDays: 'logRetention, one of RetentionDays',
  topicArn: 'topic, a topic of SNS',
  noCompleteExportHours: 'noCompleteExportAfter, a Duration',
  runbookUrl: 'runbook',
  vpcId: 'vpc, with vpcSubnets and securityGroups beside it',
  subnetIds: 'vpcSubnets, a SubnetSelection',
  securityGroupIds: 'securityGroups, a list of them',
  schedule: 'schedules, by connection, and listSchedules, by list',
  flexibleWindowMinutes: 'flexibleWindow, a Duration',
  timezone: 'the timeZone of the ScheduleExpression',
  stackName: 'the stackName of the Stack',
};

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null;
}

/** What is known only when the stack is deployed passes. */
function orToken(schema: Schema): Schema {
  return v.lazy((given) => (Token.isUnresolved(given) ? v.unknown() : schema));
}

function orFalse(schema: Schema): Schema {
  return v.lazy((given) => (given === false ? v.literal(false) : schema));
}

/** A resource of this app or an imported one, known by a member: there may be another copy of its class. */
function resource(member: string, example: string): Schema {
  const isOne = (given: unknown) => Construct.isConstruct(given) && member in given;
  return v.custom(isOne, `expected a construct such as ${example}`);
}

const MOST = { hours: MAX_NO_COMPLETE_EXPORT_HOURS, minutes: MAX_WINDOW_MINUTES, days: Infinity };
const IN = {
  days: (given: Duration) => given.toDays({ integral: false }),
  hours: (given: Duration) => given.toHours({ integral: false }),
  minutes: (given: Duration) => given.toMinutes({ integral: false }),
};

function isDuration(given: unknown): given is Duration {
  return isObject(given) && 'toDays' in given;
}

function whole(unit: keyof typeof IN): Schema {
  const most = MOST[unit];
  const range = most === Infinity ? `1 or more whole ${unit}` : `whole ${unit} from 1 to ${most}`;
  const expected = `expected a Duration of ${range}, such as Duration.${unit}(1)`;
  const fits = (given: Duration) => {
    if (given.isUnresolved()) return given.unitLabel() === unit;
    const amount = IN[unit](given);
    return Number.isInteger(amount) && amount >= 1 && amount <= most;
  };
  return v.pipe(
    v.custom<Duration>(isDuration, expected),
    v.check(fits, ({ input }) => `${expected}, got ${input.toString()}`),
  );
}

/** One that is counted with, or has a place in settings of functions, before the stack is deployed. */
function knownWhole(unit: keyof typeof IN): Schema {
  const isKnown = (given: unknown) => !isDuration(given) || !given.isUnresolved();
  return v.pipe(v.unknown(), v.check(isKnown, KNOWN_EXPECTED), whole(unit));
}

const yesOrNo = v.optional(v.boolean());
const text = v.pipe(v.string(), v.nonEmpty('expected text of one character or more'));
const DateSchema = v.date('expected a Date');

const ExpressionSchema = v.pipe(
  v.custom<ScheduleExpression>(
    (given) =>
      isObject(given) && 'expressionString' in given && typeof given.expressionString === 'string',
    'expected a ScheduleExpression, such as ScheduleExpression.rate(Duration.hours(6))',
  ),
  v.check(({ expressionString }) => !Token.isUnresolved(expressionString), KNOWN_EXPECTED),
);

const PlannedSchema: Schema = v.lazy((given) => {
  if (isNoSchedule(given)) return v.strictObject({ enabled: v.literal(false) });
  if (!isObject(given) || !('schedule' in given)) return ExpressionSchema;
  return v.pipe(
    v.strictObject({
      schedule: ExpressionSchema,
      flexibleWindow: v.optional(knownWhole('minutes')),
      enabled: yesOrNo,
      start: v.optional(DateSchema),
      end: v.optional(DateSchema),
    }),
    v.forward(
      v.check(
        ({ start, end }) => !start || !end || start < end,
        'expected a Date later than start',
      ),
      ['end'],
    ),
  );
});

function byName(schema: Schema): Schema {
  return v.optional(recordOf(v.string(), v.optional(schema)));
}

const RUNBOOK_EXPECTED = 'expected an address or a path of 1 to 500 characters without #';

const AlarmsSchema = v.strictObject({
  topic: v.optional(resource('topicArn', 'Topic.fromTopicArn(…)')),
  noCompleteExportAfter: v.optional(knownWhole('hours')),
  // Of the 1,024 characters of an alarm's description.
  runbook: v.optional(
    v.pipe(v.string(RUNBOOK_EXPECTED), v.regex(/^[^#]{1,500}$/, RUNBOOK_EXPECTED)),
  ),
});

const AUTHORIZATION_EXPECTED = "expected 'iam', or an object with issuer and audience";
const JwtSchema = v.strictObject(
  {
    issuer: orToken(v.pipe(v.string(), v.startsWith('https://', 'expected an https: address'))),
    audience: orToken(v.pipe(v.array(text), v.nonEmpty('expected one or more audiences'))),
  },
  AUTHORIZATION_EXPECTED,
);

const HttpApiSchema = v.strictObject({
  authorization: v.optional(
    v.lazy((given) => (isObject(given) ? JwtSchema : v.literal('iam', AUTHORIZATION_EXPECTED))),
  ),
  requestsPerSecond: v.optional(orToken(wholeNumber(1, 10_000))),
  burst: v.optional(orToken(wholeNumber(1, 5_000))),
});

const PREFIX_EXPECTED = 'expected letters and digits, or nothing';

const OutputsSchema = v.strictObject({
  prefix: v.optional(v.pipe(v.string(PREFIX_EXPECTED), v.regex(/^[A-Za-z0-9]*$/, PREFIX_EXPECTED))),
});

const RETENTION_EXPECTED = 'expected one of RetentionDays, such as RetentionDays.ONE_MONTH';

const PropsSchema = v.strictObject({
  connectionTable: v.optional(v.unknown()),
  integrationId: v.optional(known(IntegrationIdSchema, 'integrationId')),
  maxConcurrentExports: v.optional(orToken(wholeNumber(2, 1_000))),
  secretPrefix: v.optional(orToken(SecretPrefixSchema)),
  sharesSecrets: yesOrNo,
  bucket: v.optional(resource('bucketArn', 'Bucket.fromBucketName(…)')),
  table: v.optional(resource('tableArn', 'Table.fromTableName(…)')),
  eventBus: v.optional(resource('eventBusArn', 'EventBus.fromEventBusName(…)')),
  keepExports: v.optional(whole('days')),
  keepDeleted: v.optional(orFalse(whole('days'))),
  deletionProtection: yesOrNo,
  describeExports: yesOrNo,
  compareExports: yesOrNo,
  tables: yesOrNo,
  httpApi: v.optional(orFalse(HttpApiSchema)),
  alarms: v.optional(orFalse(AlarmsSchema)),
  outputs: v.optional(orFalse(known(OutputsSchema, 'outputs'))),
  schedule: v.optional(PlannedSchema),
  schedules: byName(PlannedSchema),
  listSchedules: v.optional(
    v.strictObject({
      defaults: byName(PlannedSchema),
      connections: byName(byName(PlannedSchema)),
    }),
  ),
  encryptionKey: v.optional(resource('keyArn', 'Key.fromKeyArn(…)')),
  logRetention: v.optional(orToken(v.enum(RetentionDays, RETENTION_EXPECTED))),
  keyPatterns: v.optional(orFalse(v.array(KeyPatternSchema))),
  vpc: v.optional(resource('vpcId', 'Vpc.fromLookup(…)')),
  vpcSubnets: v.optional(v.looseObject({})),
  securityGroups: v.optional(
    v.array(resource('securityGroupId', 'SecurityGroup.fromSecurityGroupId(…)')),
  ),
  removalPolicy: v.optional(
    v.picklist(
      [RemovalPolicy.RETAIN, RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, RemovalPolicy.DESTROY],
      'expected RemovalPolicy.RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY',
    ),
  ),
} satisfies { readonly [K in keyof CustomersIntegrationProps]-?: Schema });
