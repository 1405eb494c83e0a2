import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { ConnectionNameSchema, ListNameSchema } from '../../lib/names.ts';
import { type ConnectionTable, ConnectionTableSchema } from './connection-settings.ts';

/** Names of the environment variables: the stack writes them and the functions read them. */
export const ENVIRONMENT = {
  ledgerTable: 'LEDGER_TABLE',
  /** Name of the S3 bucket. */
  exportBucket: 'EXPORT_BUCKET',
  exportQueueUrl: 'EXPORT_QUEUE_URL',
  writeQueueUrl: 'WRITE_QUEUE_URL',
  descriptionQueueUrl: 'DESCRIPTION_QUEUE_URL',
  changeQueueUrl: 'CHANGE_QUEUE_URL',
  deadLetterQueueUrl: 'DEAD_LETTER_QUEUE_URL',
  eventBus: 'EVENT_BUS',
  /** Tells the events of this integration from those of others on the same bus. */
  integrationId: 'INTEGRATION_ID',
  /** Put before a connection's name to give the name of its secret. */
  secretPrefix: 'SECRET_PREFIX',
  /** ARN of the secret that fingerprints of keys are made with. */
  fingerprintSecret: 'FINGERPRINT_SECRET',
  /** The connections with their settings, as JSON. */
  connections: 'CONNECTIONS',
  /** URL of the queue of the function that starts the exports of all connections. */
  fanOutQueueUrl: 'FAN_OUT_QUEUE_URL',
  /** Which lists of which connections are measured, as JSON. */
  measured: 'MEASURED',
} as const;

export type EnvironmentName = keyof typeof ENVIRONMENT;

/** Reads one variable. @throws SettingError naming the variable when it is not there or empty. */
export function readVariable(
  name: EnvironmentName,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const value = variables[ENVIRONMENT[name]];
  if (value !== undefined && value !== '') return value;
  throw new SettingError(
    ENVIRONMENT[name],
    'expected the environment variable that the stack sets, got nothing. A function of your own gets it by grantClient of CustomersIntegration; deploy again instead of editing a function.',
  );
}

export function hasVariable(name: EnvironmentName): boolean {
  return (process.env[ENVIRONMENT[name]] ?? '') !== '';
}

/** @throws SettingError naming the variable, and the place in it. */
export function readConnectionTable(
  variables?: Readonly<Record<string, string | undefined>>,
): ConnectionTable {
  return readJson('connections', ConnectionTableSchema, variables);
}

function readJson<T>(
  name: EnvironmentName,
  schema: v.GenericSchema<unknown, T>,
  variables?: Readonly<Record<string, string | undefined>>,
): T {
  const given = parseJson(readVariable(name, variables));
  try {
    if (given === undefined) throw new SettingError(ENVIRONMENT[name], 'expected JSON');
    return parseSetting(schema, given, ENVIRONMENT[name]);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const advice = 'Deploy the stack again instead of editing the function.';
    throw new SettingError(error.setting, `${error.problem}. ${advice}`);
  }
}

const names = v.pipe(v.array(ConnectionNameSchema), v.readonly());

const MeasuredExportsSchema = v.strictObject({
  lists: v.pipe(v.array(ListNameSchema), v.readonly()),
  /** Whether those of all connections that have a secret are measured, by the schedule of all. */
  all: v.boolean(),
  /** Connections that are measured also without a secret. */
  names,
  /** Not measured although they have a secret. */
  except: names,
  /** Whether these have schedules of their own, which no tag of a secret leaves out. */
  own: v.boolean(),
  /** While the schedule starts exports, milliseconds since the epoch. @default - for ever */
  startMs: v.exactOptional(v.number()),
  endMs: v.exactOptional(v.number()),
});

/** Lists of the same connections whose newest completed exports are measured. */
export type MeasuredExports = Readonly<v.InferOutput<typeof MeasuredExportsSchema>>;

const MeasuredSchema = v.strictObject({
  exports: v.pipe(v.array(MeasuredExportsSchema), v.readonly()),
  /** The newest completed export should be younger than this. */
  overdueHours: v.pipe(v.number(), v.minValue(1)),
});

/** The exports whose newest completed one is measured. */
export type Measured = Readonly<v.InferOutput<typeof MeasuredSchema>>;

/** @throws SettingError naming the variable, and the place in it. */
export function readMeasured(): Measured {
  return readJson('measured', MeasuredSchema);
}
