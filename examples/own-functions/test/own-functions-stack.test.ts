import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OwnFunctionsStack } from '../lib/own-functions-stack.ts';

// CloudFormation's rules are checked by `cdk synth`; here they would take longer than all else.
process.env['CDK_VALIDATION'] = 'false';
const template = Template.fromStack(new OwnFunctionsStack(new App(), 'Tested'));
const functions = template.findResources('AWS::Lambda::Function');
const propertiesOf = (id: string) =>
  Object.entries(functions).find(([name]) => name.startsWith(id))?.[1].Properties;
const environmentOf = (id: string) => propertiesOf(id).Environment.Variables;

test('those that use the client know the ledger and the secrets', () => {
  for (const id of ['ReadCustomer', 'EnrichOrders']) {
    ok(environmentOf(id).LEDGER_TABLE);
    ok(environmentOf(id).SECRET_PREFIX);
  }
});

test('the one that reads results alone knows no key', () => {
  equal(environmentOf('CountCustomers').SECRET_PREFIX, undefined);
});

test('the one that sends what has to wait to its own queue is not ended as a loop', () => {
  equal(propertiesOf('EnrichOrders').RecursiveLoop, 'Allow');
});

test('it hears of the exports of this integration alone', () => {
  // The integration has a rule of its own for the same events.
  const rules = Object.entries(template.findResources('AWS::Events::Rule'));
  const own = rules.find(([name]) => name.startsWith('WhenCompleted'))?.[1].Properties;
  deepEqual(own.EventPattern, {
    source: ['customers-functions'],
    'detail-type': ['Export Completed'],
    detail: { integration: ['Tested.Customers'] },
  });
});
