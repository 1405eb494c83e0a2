import { expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { GivenSettings } from '../../../../functions/services/connection-settings.ts';
import { CustomersIntegration } from '../../../../infra/constructs/customers-integration.ts';
import { checkedEnvironment } from '../../../../infra/constructs/foundation/function-environment.ts';
import type { CustomersIntegrationProps } from '../../../../infra/constructs/integration-props.ts';

const defaults = { baseUrl: 'https://api.example.com' };
const hourly = ScheduleExpression.rate(Duration.hours(1));

function named<Value>(count: number, value: Value): Record<string, Value> {
  const names = Array.from({ length: count }, (_, index) => `customer-${index}`);
  return Object.fromEntries(names.map((name) => [name, value]));
}

function synthesized(props: CustomersIntegrationProps) {
  const context = { 'aws:cdk:disable-asset-staging': true };
  const stack = new Stack(new App({ context }), 'customers-production');
  new CustomersIntegration(stack, 'Customers', props);
  return Template.fromStack(stack);
}

test('what Lambda measures is the JSON of all variables, with 120 bytes for what the deployment makes', () => {
  const name = `\${Token[TOKEN.12]}`;
  const of = (length: number) => ({ NAME: name, TEXT: '"'.repeat(length / 2) });
  const others = '{"NAME":"","TEXT":""}'.length + 120;

  expect(checkedEnvironment('sample', of(4_096 - others))).toMatchObject({ NAME: name });
  expect(() => checkedEnvironment('sample', of(4_096 - others + 2))).toThrow(
    'connections: with the settings and schedules of connections the function sample needs 4097 bytes, and 4096 fit into the environment of a function.',
  );
});

test('settings of connections that Lambda would not take are refused when the stack is synthesized', () => {
  // Less than 3,000 bytes, and more than 3,400 with the quotes that Lambda counts twice.
  const connections = named<GivenSettings>(97, { walk: 'fast' });
  expect(JSON.stringify(connections).length).toBeLessThan(3_000);

  expect(() => synthesized({ connectionTable: { defaults, connections } })).toThrow(
    /^connections: with the settings and schedules of connections the function [a-z-]+ needs 4\d{3} bytes/,
  );
});

test('so are more connections with schedules of their own than can be measured', () => {
  const connectionTable = { defaults, connections: named(150, {}) };
  const schedules = named(150, hourly);

  expect(() => synthesized({ connectionTable, schedules, schedule: hourly })).toThrow(
    'the function measure-exports needs',
  );
});

test('2,500 bytes of settings fit', () => {
  const connections = named<GivenSettings>(84, { walk: 'fast' });
  expect(JSON.stringify(connections).length).toBeGreaterThan(2_500);

  expect(() => synthesized({ connectionTable: { defaults, connections } })).not.toThrow();
});
