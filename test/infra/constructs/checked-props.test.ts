import { expect, test } from '@jest/globals';
import { App, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { checkedProps } from '../../../infra/constructs/checked-props.ts';
import type { CustomersIntegrationProps } from '../../../infra/constructs/integration-props.ts';

const connectionTable = { defaults: { baseUrl: 'https://api.example.com' }, connections: {} };
const schedule = ScheduleExpression.rate(Duration.hours(1));

/** What JavaScript lets through, or TypeScript with `as`. */
const OTHER_KINDS = ['', 'x', '5', 0, -1, 1.5, NaN, null, true, {}, []];
const NO_TEXT = [0, NaN, null, true, {}, []];
const NO_WHOLE_NUMBER = ['', '5', -1, 0, 1.5, NaN, Infinity, null, true, {}, []];
const NO_YES_OR_NO = ['', 'false', 0, 1, null, {}];
const NO_DAYS = ['7', 7, null, {}, Duration.days(0), Duration.hours(1), Duration.days(1.5)];
const NO_MINUTES = [15, null, Duration.minutes(0), Duration.seconds(90), Duration.days(2)];
const NO_HOURS = [26, null, Duration.minutes(90), Duration.hours(0), Duration.hours(8_785)];
const NO_SCHEDULE = ['', 'rate(6 hours)', 0, null, true, {}, [], Duration.hours(6)];
const NO_LIST = ['', 'x', 0, null, true, {}];

/** By the place that the error names. */
const WRONG = {
  integrationId: ['', ' a', '-a', 'a'.repeat(129), ...NO_TEXT],
  secretPrefix: ['', '*', 'a*', 'a?', 'a b', 'a'.repeat(257), ...NO_TEXT],
  sharesSecrets: NO_YES_OR_NO,
  maxConcurrentExports: [1, 1_001, ...NO_WHOLE_NUMBER],
  bucket: OTHER_KINDS,
  table: OTHER_KINDS,
  eventBus: OTHER_KINDS,
  encryptionKey: OTHER_KINDS,
  vpc: OTHER_KINDS,
  vpcSubnets: ['', 'x', 0, null, true],
  securityGroups: NO_LIST,
  'securityGroups[0]': [['sg-12345678'], [null]],
  keepExports: [false, ...NO_DAYS],
  keepDeleted: [true, ...NO_DAYS],
  deletionProtection: NO_YES_OR_NO,
  describeExports: NO_YES_OR_NO,
  compareExports: NO_YES_OR_NO,
  tables: NO_YES_OR_NO,
  logRetention: ['', '7', 0, -1, 31, NaN, null, true],
  removalPolicy: ['', 'delete', RemovalPolicy.SNAPSHOT, 0, null, true],
  keyPatterns: ['', 'x', 0, null, true, {}],
  'keyPatterns[1]': [1, null, '', '(a|b)', 'key:[a-z]+', 'a'.repeat(201), 'key-[a-z', '[a-z]*'].map(
    (pattern) => ['cust_[a-z]+', pattern],
  ),
  schedule: NO_SCHEDULE,
  'schedule.enabled': [{ schedule, enabled: 'no' }],
  'schedule.flexibleWindow': NO_MINUTES.map((flexibleWindow) => ({ schedule, flexibleWindow })),
  'schedule.start': [{ schedule, start: '2026-01-01T00:00:00Z' }],
  'schedule.end': [0, new Date(0), new Date(1)].map((end) => ({
    schedule,
    start: new Date(1),
    end,
  })),
  'schedule.unknown': [{ schedule, unknown: 1 }],
  schedules: ['', 'x', 0, null, true, []],
  'schedules.demo': NO_SCHEDULE.map((demo) => ({ demo })),
  listSchedules: ['', 'x', 0, null, true],
  'listSchedules.unknown': [{ unknown: {} }],
  'listSchedules.defaults.invoices': NO_SCHEDULE.map((invoices) => ({ defaults: { invoices } })),
  'listSchedules.connections.demo': [{ connections: { demo: null } }],
  httpApi: ['', 'x', 0, null, true],
  'httpApi.unknown': [{ unknown: 1 }],
  'httpApi.authorization': ['', 'IAM', 'none', 0, null, true].map((authorization) => ({
    authorization,
  })),
  'httpApi.authorization.issuer': [
    { authorization: { issuer: 'http://a.example', audience: ['a'] } },
  ],
  'httpApi.authorization.audience': ['', 'a', null, []].map((audience) => ({
    authorization: { issuer: 'https://a.example', audience },
  })),
  'httpApi.requestsPerSecond': [10_001, ...NO_WHOLE_NUMBER].map((requestsPerSecond) => ({
    requestsPerSecond,
  })),
  'httpApi.burst': [5_001, ...NO_WHOLE_NUMBER].map((burst) => ({ burst })),
  alarms: ['', 'x', 0, null, true],
  'alarms.unknown': [{ unknown: 1 }],
  'alarms.topic': ['', 'arn:aws:sns:eu-central-1:123456789012:on-call', 0, null, {}].map(
    (topic) => ({ topic }),
  ),
  'alarms.noCompleteExportAfter': NO_HOURS.map((noCompleteExportAfter) => ({
    noCompleteExportAfter,
  })),
  'alarms.runbook': ['', '#', 'a'.repeat(501), 0, null].map((runbook) => ({ runbook })),
  outputs: ['', 'x', 0, null, true],
  'outputs.unknown': [{ unknown: 1 }],
  'outputs.prefix': ['-', 'a b', 0, null, true, []].map((prefix) => ({ prefix })),
  connectionTable: ['', 'x', 0, null, true, undefined],
  'connectionTable.defaults': [{}, { connections: {} }],
  unknown: OTHER_KINDS,
};

function checking(props: unknown): () => unknown {
  return () => Reflect.apply(checkedProps, undefined, [props]);
}

test.each(
  Object.entries(WRONG).flatMap(([place, values]) => values.map((value) => ({ place, value }))),
)('refuses $value as $place, naming it', ({ place, value }) => {
  const [prop = ''] = place.split(/[.[]/);
  const check = checking({ connectionTable, [prop]: value });

  expect(check).toThrow(expect.objectContaining({ setting: place, code: 'INVALID_SETTING' }));
  expect(check).toThrow(
    /: (?:expected|it is no regular|it matches any text|there is no such setting|this setting is missing)/,
  );
});

test.each([[undefined], [null], ['x']])('refuses %s instead of props', (props) => {
  expect(checking(props)).toThrow('props: expected an object');
});

/** Every prop has a value here that is wrong above. */
const RIGHT = {
  integrationId: ['a', 'Shop.Customers-1_b'],
  secretPrefix: ['a', 'team/keys+=.@-_'],
  maxConcurrentExports: [2, 1_000],
  keepExports: [Duration.days(1), Duration.hours(48)],
  keepDeleted: [false, Duration.days(1)],
  logRetention: [RetentionDays.ONE_DAY, RetentionDays.INFINITE],
  removalPolicy: [RemovalPolicy.DESTROY, RemovalPolicy.RETAIN],
  schedule: [schedule, { schedule }, { enabled: false }, { schedule, start: new Date(0) }],
  alarms: [false, {}, { noCompleteExportAfter: Duration.days(366), runbook: 'docs/runbook.md' }],
  httpApi: [false, {}, { authorization: 'iam', requestsPerSecond: 1, burst: 5_000 }],
  outputs: [false, {}, { prefix: '' }],
} satisfies { readonly [K in keyof CustomersIntegrationProps]?: readonly unknown[] };

test.each(
  Object.entries(RIGHT).flatMap(([prop, values]) => values.map((value) => ({ prop, value }))),
)('takes $value as $prop', ({ prop, value }) => {
  expect(checking({ connectionTable, [prop]: value })).not.toThrow();
});

test('takes what only the deployment knows, where CloudFormation does', () => {
  const stack = new Stack(new App(), 'Mine');
  const text = new CfnParameter(stack, 'Text').valueAsString;
  const number = new CfnParameter(stack, 'Number', { type: 'Number' }).valueAsNumber;
  const list = new CfnParameter(stack, 'List', { type: 'CommaDelimitedList' }).valueAsList;
  const httpApi = { requestsPerSecond: number, burst: number };
  const authorization = { issuer: text, audience: list };

  expect(() =>
    checkedProps({
      connectionTable,
      secretPrefix: text,
      maxConcurrentExports: number,
      logRetention: number,
      keepExports: Duration.days(number),
      httpApi: { ...httpApi, authorization },
    }),
  ).not.toThrow();
});

test.each([
  'alarms.noCompleteExportAfter',
  'schedule.flexibleWindow',
  'schedules.demo.flexibleWindow',
])('says of a token in %s that it must be known, in whatever unit', (place) => {
  const amount = new CfnParameter(new Stack(new App(), 'Mine'), 'Amount', { type: 'Number' });
  for (const unit of ['minutes', 'hours', 'days'] as const) {
    const duration = Duration[unit](amount.valueAsNumber);
    const planned = { schedule, flexibleWindow: duration };
    const check = checking({
      connectionTable,
      alarms: place.startsWith('alarms') ? { noCompleteExportAfter: duration } : {},
      schedule: place.startsWith('schedule.') ? planned : schedule,
      schedules: place.startsWith('schedules') ? { demo: planned } : {},
    });

    expect(check).toThrow(`${place}: expected what is known when the app is synthesized`);
  }
});

test('leaves out what is undefined, at any depth', () => {
  const undefinedOnes = { perPage: undefined, lists: { invoices: { idKey: undefined } } };
  const defaults: object = { baseUrl: 'https://api.example.com', ...undefinedOnes };
  const given: unknown = { connectionTable: { defaults, connections: { demo: undefined } } };

  expect(checking(given)()).toStrictEqual({
    connectionTable: {
      defaults: { baseUrl: 'https://api.example.com', lists: { invoices: {} } },
      connections: {},
    },
  });
});
