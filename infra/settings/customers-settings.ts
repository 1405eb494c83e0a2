import * as v from 'valibot';
import {
  type ConnectionTable,
  ConnectionTableSchema,
  connectionSettingEntries,
  type GivenSettings,
  listsOf,
} from '../../functions/services/connection-settings.ts';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';
import { type GivenListSettings, listSettingEntries } from '../../lib/exports/list-settings.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { parseGiven } from '../../lib/json/parse-given.ts';
import { ConnectionNameSchema } from '../../lib/names.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { recordOf } from '../../lib/record-of.ts';
import { AlarmsSchema } from './alarm-settings.ts';
import { checkedConnectionTable } from './connection-table.ts';
import { HttpApiSchema } from './http-api-settings.ts';
import { IntegrationIdSchema, SecretPrefixSchema } from './identity-settings.ts';
import { jsonProblem } from './json-problem.ts';
import { known } from './known-value.ts';
import { namingNearest } from './nearest-setting.ts';
import { resourceSettingEntries } from './resource-settings.ts';
import { type GivenSchedule, ScheduleSchema } from './schedule-settings.ts';

/** The key of the settings in the context of the CDK. */
export const CONTEXT_KEY = 'customers-functions';

const schedule = v.exactOptional(ScheduleSchema);
const lists = v.exactOptional(listsOf(v.strictObject({ ...listSettingEntries, schedule })));

const ConnectionSchema = v.strictObject({ ...connectionSettingEntries, lists, schedule });

const DAYS_EXPECTED = 'expected a whole number of 1 or more';
const days = v.pipe(v.number(), v.integer(DAYS_EXPECTED), v.minValue(1, DAYS_EXPECTED));

/** Those that are of no single connection. */
export const stackSettingEntries = {
  ...resourceSettingEntries,
  stackName: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z][A-Za-z0-9-]{0,127}$/,
        'expected 1 to 128 letters, digits and hyphens, a letter first',
      ),
    ),
  ),
  integrationId: v.exactOptional(IntegrationIdSchema),
  secretPrefix: v.exactOptional(SecretPrefixSchema),
  keepExportsDays: v.exactOptional(days),
  keepDeletedDays: v.exactOptional(v.lazy((given) => (given === false ? v.literal(false) : days))),
  deletionProtection: v.exactOptional(v.boolean('expected true or false')),
  describeExports: v.exactOptional(v.boolean('expected true or false')),
  compareExports: v.exactOptional(v.boolean('expected true or false')),
  tables: v.exactOptional(v.boolean('expected true or false')),
  httpApi: v.exactOptional(HttpApiSchema),
  alarms: v.exactOptional(AlarmsSchema),
  outputs: v.exactOptional(v.boolean('expected true or false')),
  schedule,
  // Lambda's limits (API reference, ScalingConfig).
  maxConcurrentExports: v.exactOptional(wholeNumber(2, 1_000)),
};

const SettingsSchema = v.strictObject({
  ...connectionSettingEntries,
  ...stackSettingEntries,
  lists,
  connections: v.exactOptional(recordOf(ConnectionNameSchema, ConnectionSchema), {}),
});

const DefaultsSchema = v.object(connectionSettingEntries);
const StackSettingsSchema = v.object(stackSettingEntries);

/** Of settings on all levels. */
export const SETTING_NAMES: readonly string[] = [
  ...Object.keys({ ...connectionSettingEntries, ...stackSettingEntries }),
  ...['connections', 'expression', 'timezone', 'flexibleWindowMinutes', 'enabled', 'start', 'end'],
  ...['topicArn', 'noCompleteExportHours', 'runbookUrl'],
  ...['authorization', 'issuer', 'audience', 'burst', 'vpcId', 'subnetIds', 'securityGroupIds'],
  ...['events', 'withRecord', 'maxRemovedPercent'],
];

/** The checked settings: those of connections in a table, the others as written. */
export interface CustomersSettings extends v.InferOutput<typeof StackSettingsSchema> {
  readonly connectionTable: ConnectionTable;
  readonly schedules: Readonly<Record<string, GivenSchedule>>;
  readonly listSchedules: {
    readonly defaults: Readonly<Record<string, GivenSchedule>>;
    readonly connections: Readonly<Record<string, Readonly<Record<string, GivenSchedule>>>>;
  };
}

const named = recordOf(v.string(), ScheduleSchema);
const CheckedSchema: v.GenericSchema<unknown, CustomersSettings> = v.strictObject({
  ...stackSettingEntries,
  connectionTable: ConnectionTableSchema,
  schedules: named,
  listSchedules: v.strictObject({ defaults: named, connections: recordOf(v.string(), named) }),
});

/** @throws SettingError for settings that are not as {@link customersSettingsOf} gives them. */
export function requireSettings(given: CustomersSettings): void {
  parseSetting(CheckedSchema, given, 'settings');
}

/**
 * Checks the settings of the context, down to the ranges of every connection.
 *
 * @param context The value under {@link CONTEXT_KEY}: an object, or its JSON from `cdk -c`.
 * @throws SettingError naming the path of the setting that is wrong.
 */
export function customersSettingsOf(context: unknown): CustomersSettings {
  const given = typeof context === 'string' ? parseGiven(context, CONTEXT_KEY) : context;
  if (!isJsonObject(given)) {
    const problem = typeof context === 'string' ? jsonProblem(context) : undefined;
    throw new SettingError(
      CONTEXT_KEY,
      'expected an object such as {"baseUrl": "https://api.example.com"}' +
        (problem === undefined ? '' : `: ${problem}`),
    );
  }
  const parsed = namingNearest(SETTING_NAMES, {}, () =>
    parseSetting(known(SettingsSchema, CONTEXT_KEY), given, CONTEXT_KEY),
  );
  const schedules: Record<string, GivenSchedule> = {};
  const settings: Record<string, GivenSettings> = {};
  const ofLists: Record<string, Readonly<Record<string, GivenSchedule>>> = {};
  for (const [connection, { schedule, ...rest }] of Object.entries(parsed.connections)) {
    if (schedule !== undefined) schedules[connection] = schedule;
    const split = withoutSchedules(rest);
    settings[connection] = split.settings;
    if (Object.keys(split.schedules).length > 0) ofLists[connection] = split.schedules;
  }
  const shared = withoutSchedules(parsed);
  const defaults = v.parse(DefaultsSchema, shared.settings);
  const listSchedules = { defaults: shared.schedules, connections: ofLists };
  const connectionTable = checkedConnectionTable(
    { defaults, connections: settings },
    { defaults: CONTEXT_KEY, connections: `${CONTEXT_KEY}.connections` },
  );
  const stack = v.parse(StackSettingsSchema, parsed);
  return { ...stack, connectionTable, schedules, listSchedules };
}

type ScheduledList = GivenListSettings & { readonly schedule?: GivenSchedule };

interface ScheduledLists {
  readonly lists?: Readonly<Record<string, ScheduledList | false>>;
}

/** Functions know the lists, the scheduler when they are exported. */
function withoutSchedules<Given extends ScheduledLists>({ lists, ...others }: Given) {
  if (lists === undefined) return { settings: others, schedules: {} };
  const schedules = new Map<string, GivenSchedule>();
  const left = Object.entries(lists).map(([list, given]) => {
    if (given === false) return [list, given] as const;
    const { schedule, ...rest } = given;
    if (schedule !== undefined) schedules.set(list, schedule);
    return [list, rest] as const;
  });
  return {
    settings: { ...others, lists: Object.fromEntries(left) },
    schedules: Object.fromEntries(schedules),
  };
}
