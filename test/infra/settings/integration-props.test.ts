import { expect, test } from '@jest/globals';
import { App, Stack, Token } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { connectionSettingEntries } from '../../../functions/services/connection-settings.ts';
import { CustomersStack } from '../../../infra/customers-stack.ts';
import type { AlarmSettings } from '../../../infra/settings/alarm-settings.ts';
import {
  CONTEXT_KEY,
  type CustomersSettings,
  customersSettingsOf,
  SETTING_NAMES,
  type stackSettingEntries,
} from '../../../infra/settings/customers-settings.ts';
import { integrationPropsOf } from '../../../infra/settings/integration-props.ts';
import type { ScheduleSettings } from '../../../infra/settings/schedule-settings.ts';
import type { ChangeSettings } from '../../../lib/changes/change-settings.ts';
import type { listSettingEntries } from '../../../lib/exports/list-settings.ts';

/** Settings of one level by name. */
type Given = Readonly<Record<string, unknown>>;

/** Two values of each setting of a group. */
type Pairs<Name extends PropertyKey> = Readonly<Record<Name, readonly [unknown, unknown]>>;

const SCHEDULE: Pairs<keyof ScheduleSettings> = {
  expression: ['cron(0 3 * * ? *)', 'cron(0 4 * * ? *)'],
  timezone: ['Europe/Berlin', 'Europe/Paris'],
  flexibleWindowMinutes: [5, 6],
  enabled: [true, false],
  start: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  end: ['2036-01-01T00:00:00Z', '2036-01-02T00:00:00Z'],
};

type GivenHttpApi = Exclude<CustomersSettings['httpApi'], false | undefined>;
type Jwt = Exclude<GivenHttpApi['authorization'], 'iam' | undefined>;

const JWT: Pairs<keyof Jwt> = {
  issuer: ['https://login.example.com', 'https://login.example.com/b'],
  audience: [['a'], ['b']],
};

const HTTP_API: Pairs<keyof GivenHttpApi> = {
  authorization: ['iam', firstOf(JWT)],
  requestsPerSecond: [1, 2],
  burst: [1, 2],
};

const ALARMS: Pairs<keyof AlarmSettings> = {
  topicArn: ['arn:aws:sns:eu-central-1:123456789012:a', 'arn:aws:sns:eu-central-1:123456789012:b'],
  noCompleteExportHours: [1, 2],
  runbookUrl: ['https://a.example.com', 'https://b.example.com'],
};

const VPC: Pairs<keyof NonNullable<CustomersSettings['vpc']>> = {
  vpcId: ['vpc-00000001', 'vpc-00000002'],
  subnetIds: [['subnet-00000001'], ['subnet-00000002']],
  securityGroupIds: [['sg-00000001'], ['sg-00000002']],
};

const CHANGES: Pairs<keyof ChangeSettings> = {
  events: [false, true],
  withRecord: [false, true],
  maxRemovedPercent: [1, 2],
};

const LIST: Pairs<keyof typeof listSettingEntries> = {
  resource: ['people', 'persons'],
  perPage: [1, 2],
  firstPage: [0, 1],
  walk: ['fast', 'verified'],
  maxPasses: [2, 3],
  order: ['fixed', 'appended'],
  query: [{ status: 'a' }, { status: 'b' }],
  itemsKey: ['a', 'b'],
  metaKeys: [{ total: 'a' }, { total: 'b' }],
  idKey: ['a', 'b'],
};

const WRITE = {
  name: 'create',
  method: 'POST',
  resource: 'customers',
  acceptsIdempotencyKey: true,
};

const CONNECTION: Pairs<keyof typeof connectionSettingEntries> = {
  ...LIST,
  baseUrl: ['https://a.example.com', 'https://b.example.com'],
  header: ['A-Key', 'B-Key'],
  deadlineMs: [1_000, 2_000],
  maxBodyBytes: [100_000, 200_000],
  authenticationStatuses: [[401], [401, 403]],
  requestsPerSecond: [1, 2],
  pagesInFlight: [1, 2],
  partMaxPages: [50, 60],
  partMaxBytes: [2_000_000, 3_000_000],
  compression: ['gzip', 'zstd'],
  maxWaitSeconds: [1, 2],
  longWaitSeconds: [1, 2],
  maxTotalWaitSeconds: [1, 2],
  maxPages: [1, 2],
  maxStepsWithoutPage: [1, 2],
  maxFailuresInRow: [1, 2],
  maxDurationSeconds: [60, 61],
  historyDays: [61, 62],
  changes: [{}, firstOf(CHANGES)],
  operations: [[WRITE], [{ ...WRITE, name: 'add' }]],
  idempotencyKeySeconds: [60, 61],
  maxUnknownChecks: [1, 2],
  lists: [{}, { invoices: {} }],
};

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-55555555555';

const STACK: Pairs<Exclude<keyof typeof stackSettingEntries, 'stackName'>> = {
  bucket: ['bucket-a', 'bucket-b'],
  table: ['table-a', 'table-b'],
  eventBus: ['bus-a', 'bus-b'],
  encryptionKey: [`${KEY}1`, `${KEY}2`],
  logRetentionDays: [1, 3],
  keyPatterns: [['a{20}'], ['b{20}']],
  vpc: [firstOf(VPC), { ...firstOf(VPC), securityGroupIds: ['sg-00000002'] }],
  removalPolicy: ['retain', 'destroy'],
  integrationId: ['a', 'b'],
  secretPrefix: ['a/', 'b/'],
  keepExportsDays: [1, 2],
  keepDeletedDays: [1, 2],
  deletionProtection: [true, false],
  describeExports: [true, false],
  compareExports: [true, false],
  tables: [true, false],
  httpApi: [{}, false],
  alarms: [{}, false],
  outputs: [true, false],
  schedule: ['rate(1 day)', 'rate(2 days)'],
  maxConcurrentExports: [2, 3],
};

function firstOf(pairs: Pairs<string>): Given {
  return Object.fromEntries(Object.entries(pairs).map(([name, [first]]) => [name, first]));
}

/** For each of a group, its path, and the settings with either of its values. */
function rowsOf(
  path: string,
  pairs: Pairs<string>,
  within: (group: Given) => Given,
): readonly (readonly [string, Given, Given])[] {
  // Members of an object may need each other, such as the time zone the expression.
  const others = path === '' ? {} : firstOf(pairs);
  return Object.entries(pairs).map(([name, values]) => {
    const [one, other] = values.map((value) => within({ ...others, [name]: value }));
    return [`${path}${name}`, one ?? {}, other ?? {}] as const;
  });
}

const ofDemo = (demo: Given) => ({ connections: { demo } });
const ofInvoices = (invoices: Given) => ({ lists: { invoices } });
const SCHEDULED = { ...LIST, schedule: STACK.schedule };

const ROWS = [
  ...rowsOf('', { ...CONNECTION, ...STACK }, (group) => group),
  ...rowsOf('schedule.', SCHEDULE, (schedule) => ({ schedule })),
  ...rowsOf('httpApi.', HTTP_API, (httpApi) => ({ httpApi })),
  ...rowsOf('httpApi.authorization.', JWT, (authorization) => ({ httpApi: { authorization } })),
  ...rowsOf('alarms.', ALARMS, (alarms) => ({ alarms })),
  ...rowsOf('vpc.', VPC, (vpc) => ({ vpc })),
  ...rowsOf('changes.', CHANGES, (changes) => ({ changes })),
  ...rowsOf('lists.invoices.', SCHEDULED, ofInvoices),
  ...rowsOf('connections.demo.', { ...CONNECTION, schedule: STACK.schedule }, ofDemo),
  ...rowsOf('connections.demo.changes.', CHANGES, (changes) => ofDemo({ changes })),
  ...rowsOf('connections.demo.lists.invoices.', SCHEDULED, (group) => ofDemo(ofInvoices(group))),
];

/** What the props say, without what differs each time that resources are imported. */
function propsOf(settings: Given): string {
  const checked = customersSettingsOf({ baseUrl: 'https://api.example.com', ...settings });
  const props = integrationPropsOf(new Stack(new App(), 'Stack'), checked);
  return JSON.stringify(props, (_, value: unknown) => {
    if (Token.isUnresolved(value)) return 'known at the deployment';
    return Construct.isConstruct(value) ? [value.node.path, ...textsOf(value)] : value;
  });
}

function textsOf(resource: Construct): readonly string[] {
  return Object.values(resource).filter(
    (member) => typeof member === 'string' && !Token.isUnresolved(member),
  );
}

test.each(ROWS)('the setting %s changes the props of the construct', (_, one, other) => {
  expect(propsOf(one)).toBe(propsOf(one));
  expect(propsOf(one)).not.toBe(propsOf(other));
});

test('the setting stackName is the name of the stack', () => {
  const settings = { baseUrl: 'https://api.example.com', stackName: 'Team' };
  const app = new App({ context: { [CONTEXT_KEY]: settings } });

  expect(new CustomersStack(app, 'Stack').stackName).toBe('Team');
});

test('every setting that a hint may name is among them, and no other', () => {
  const names = new Set(ROWS.map(([path]) => path.split('.').at(-1) ?? ''));

  expect([...names, 'stackName', 'connections'].sort()).toEqual([...new Set(SETTING_NAMES)].sort());
});
