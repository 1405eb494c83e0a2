import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { PROPS_OF_SETTINGS } from '../../../infra/constructs/checked-props.ts';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';
import { customersSettingsOf } from '../../../infra/settings/customers-settings.ts';

const baseUrl = 'https://api.example.com';
const NONE = 'there is no such setting';
const KEY = `${NONE}: the key belongs into the secret of its connection alone. If this is the key, take it out and consider it exposed`;
const OPERATION = { name: 'a', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true };
const READ = { kind: 'read', resource: 'customers/{writeId}', match: { a: '{writeId}' } };

test.each([
  [{ perpage: 1 }, 'perpage', `${NONE}: perhaps perPage is meant`],
  [{ base_url: 'x' }, 'base_url', `${NONE}: perhaps baseUrl is meant`],
  [
    { connections: { demo: { shedule: 'rate(1 day)' } } },
    'connections.demo.shedule',
    `${NONE}: perhaps schedule is meant`,
  ],
  [
    { connections: { demo: { stackName: 'x' } } },
    'connections.demo.stackName',
    `${NONE}: stackName stands on another level`,
  ],
  [{ connections: { demo: { api_key: 'canary' } } }, 'connections.demo.api_key', KEY],
  [{ apiKey: 'canary' }, 'apiKey', KEY],
  [{ nonsense: 1 }, 'nonsense', NONE],
])('says of %j what is probably meant', (settings, place, problem) => {
  expect(() => customersSettingsOf({ baseUrl, ...settings })).toThrow(
    expect.objectContaining({ message: `customers-functions.${place}: ${problem}` }),
  );
});

const connectionTable = { defaults: { baseUrl }, connections: { demo: {} } };
const schedule = ScheduleExpression.rate(Duration.days(1));

test.each([
  [{ keepExportsDays: 5 }, 'here it is keepExports, a Duration'],
  [{ logRetentionDays: 5 }, 'here it is logRetention, one of RetentionDays'],
  [{ alarms: { topicArn: 'x' } }, 'here it is topic, a topic of SNS'],
  [{ schedule: { schedule, flexibleWindowMinutes: 5 } }, 'here it is flexibleWindow, a Duration'],
  [
    { connectionTable: { ...connectionTable, connections: { demo: { schedule } } } },
    'here it is schedules, by connection, and listSchedules, by list',
  ],
  [{ subnetIds: ['x'] }, 'here it is vpcSubnets, a SubnetSelection'],
  [{ securityGroupIds: ['x'] }, 'here it is securityGroups, a list of them'],
  [{ baseUrl }, 'here it is connectionTable.defaults.baseUrl'],
  [{ shedules: {} }, 'perhaps schedules is meant'],
])('says of the props %j what a setting is called in the construct', (props, advice) => {
  const stack = new Stack(new App(), 'Stack');
  const make = () =>
    Reflect.construct(CustomersIntegration, [stack, 'Customers', { connectionTable, ...props }]);

  expect(make).toThrow(`${NONE}: ${advice}`);
});

test.each([
  [{}, { ...READ, maxPages: 5 }, '.check.maxPages', ': maxPages goes with the kind list alone'],
  [{ match: {} }, READ, '.match', ': match stands on another level'],
  [{ perPage: 5 }, READ, '.perPage', ''],
  [{}, { ...READ, setlSeconds: 5 }, '.check.setlSeconds', ': perhaps settleSeconds is meant'],
])(
  'says of the operation with %j and the check %j what is meant in it',
  (more, check, at, advice) => {
    const operations = [{ ...OPERATION, check, ...more }];
    const defaults = { baseUrl, operations };
    const stack = new Stack(new App(), 'Stack');
    const props = { connectionTable: { ...connectionTable, defaults } };
    const make = () => Reflect.construct(CustomersIntegration, [stack, 'Customers', props]);

    expect(make).toThrow(
      expect.objectContaining({
        message: `connectionTable.defaults.operations[0]${at}: ${NONE}${advice}`,
      }),
    );
  },
);

test('the page of the settings has what is called otherwise in the construct', () => {
  const page = readFileSync('docs/settings.md', 'utf8');
  const section = page.split('### In the construct')[1]?.split('\n## ')[0] ?? '';
  const words = new Set(section.match(/\w+/g));
  const ofOthers = ['vpcId', 'subnetIds', 'securityGroupIds', 'flexibleWindowMinutes', 'timezone'];
  const missing = Object.keys(PROPS_OF_SETTINGS).filter((name) => !words.has(name));

  expect(missing).toEqual(ofOthers);
});
