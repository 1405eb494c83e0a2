import { expect, test } from '@jest/globals';
import { App, CfnParameter, Duration, Lazy, Stack } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { checkedProps } from '../../../infra/constructs/checked-props.ts';
import { customersSettingsOf } from '../../../infra/settings/customers-settings.ts';

const env = { account: '123456789012', region: 'eu-central-1' };
const stack = new Stack(new App(), 'Mine', { env });
const text = new CfnParameter(stack, 'Text').valueAsString;
const number = new CfnParameter(stack, 'Number', { type: 'Number' }).valueAsNumber;
const list = Lazy.list({ produce: () => ['a'] });
const lookedUp = StringParameter.valueFromLookup(stack, '/api/address');
const baseUrl = 'https://api.example.com';

const tableOf = (defaults: object, connections = {}) => ({
  connectionTable: { defaults: { baseUrl, ...defaults }, connections },
});
const hours = Duration.hours(number);

test.each([
  ['connectionTable.defaults.baseUrl', tableOf({ baseUrl: text })],
  ['connectionTable.defaults.baseUrl', tableOf({ baseUrl: `https://${text}` })],
  ['connectionTable.defaults.requestsPerSecond', tableOf({ requestsPerSecond: number })],
  [
    'connectionTable.defaults.lists.invoices.query.year',
    tableOf(listOf({ query: { year: text } })),
  ],
  ['connectionTable.defaults.authenticationStatuses', tableOf({ authenticationStatuses: list })],
  ['connectionTable.connections.demo.header', tableOf({}, { demo: { header: text } })],
  ['connectionTable.connections', tableOf({}, { [text]: {} })],
  ['integrationId', { ...tableOf({}), integrationId: text }],
  ['outputs.prefix', { ...tableOf({}), outputs: { prefix: text } }],
  ['schedule', { ...tableOf({}), schedule: ScheduleExpression.rate(hours) }],
])('as %s a token is refused by its name', (setting, props) => {
  const problem = expect.stringContaining('known when the app is synthesized');

  expect(() => Reflect.apply(checkedProps, undefined, [props])).toThrow(
    expect.objectContaining({ setting, problem }),
  );
});

function listOf(invoices: object) {
  return { lists: { invoices } };
}

test('settings for integrationPropsOf hold no token either', () => {
  const setting = 'customers-functions.connections.demo.baseUrl';

  expect(() => customersSettingsOf({ baseUrl, connections: { demo: { baseUrl: text } } })).toThrow(
    expect.objectContaining({ setting, problem: expect.stringContaining('got a token') }),
  );
});

test('a parameter that the CDK has not looked up yet is told from a wrong address', () => {
  const check = () => checkedProps({ ...tableOf({ baseUrl: lookedUp }) });

  expect(check).toThrow(
    'connectionTable.defaults.baseUrl: expected a value, got what valueFromLookup gives',
  );
});

test('a parameter with a third argument of the right form passes until the CDK has looked it up', () => {
  const placed = StringParameter.valueFromLookup(stack, '/api/other', baseUrl);

  expect(() => checkedProps({ ...tableOf({ baseUrl: placed }) })).not.toThrow();
});
