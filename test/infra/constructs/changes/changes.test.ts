import { expect, test } from '@jest/globals';
import type { Template } from 'aws-cdk-lib/assertions';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';

const settings = { baseUrl: 'https://api.example.com', connections: { demo: {} } };

const WHAT_TELLS = [
  'Sends an event for each record that changed between two complete exports',
  'Gives pages of what exports changed',
];

test.each([{ compareExports: false }, { describeExports: false, tables: false }])(
  'deploys nothing of changes with %j',
  (without) => {
    const [all, none] = [synthesizedStack(settings), synthesizedStack({ ...settings, ...without })];
    const descriptionsIn = (template: Template) =>
      propertiesOf(template, 'AWS::Lambda::Function').map(({ Description }) => Description);

    expect(descriptionsIn(all)).toEqual(expect.arrayContaining(WHAT_TELLS));
    expect(descriptionsIn(none).filter((each) => WHAT_TELLS.includes(String(each)))).toEqual([]);
    const routes = propertiesOf(none, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
    expect(routes.filter((key) => String(key).includes('changes'))).toEqual([]);
    const text = JSON.stringify(none.toJSON());
    expect(text).not.toMatch(/CHANGE_QUEUE_URL|ChangesQueue|changes-\*|changes\.json/);
    const alarms = propertiesOf(none, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) =>
      String(AlarmDescription),
    );
    expect(alarms.filter((each) => /changes/i.test(each))).toEqual([]);
  },
);

test('says that what is not described is not compared', () => {
  const asked = { describeExports: false, tables: false, compareExports: true };

  expect(() => synthesizedStack({ ...settings, ...asked })).toThrow('compareExports: ');
});

test.each([
  [{ changes: { events: true } }, { compareExports: false }, 'compareExports'],
  [{ changes: { events: true } }, { describeExports: false, tables: false }, 'describeExports'],
  [
    { connections: { demo: { changes: { events: true } } } },
    { compareExports: false },
    'compareExports',
  ],
])('refuses events of records that nobody would find: %j with %j', (asked, without, setting) => {
  expect(() => synthesizedStack({ ...settings, ...asked, ...without })).toThrow(
    `${setting}: expected true or nothing, since changes.events asks for events of records`,
  );
});

test('takes the other settings of changes where nothing is compared', () => {
  const changes = { events: false, withRecord: true, maxRemovedPercent: 5 };
  const without = { ...settings, changes, compareExports: false };

  expect(() => synthesizedStack(without)).not.toThrow();
});
