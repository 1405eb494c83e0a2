import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';

const plain = { baseUrl: 'https://api.example.com' };
const customers = { baseUrl: 'https://api.example.com/canary/2.0/customers' };
const bills = { baseUrl: 'https://api.example.com/bills/', lists: { bills: {} } };

function warnings(defaults: object, connections: Readonly<Record<string, object>>) {
  const stack = new Stack(new App(), 'Stack');
  new CustomersIntegration(stack, 'Customers', { connectionTable: { defaults, connections } });
  const found = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('baseUrl'));
  return found.map(({ entry }) => String(entry.data));
}

test.each([
  ['all connections', '/2.0/customers', customers, { demo: {} }],
  ['the connection demo', '/2.0/customers', plain, { demo: customers, other: {} }],
  ['the connection demo', '/2.0/bills', {}, { demo: bills }],
])('warns at synthesis that the address of %s holds %s', (whose, path, defaults, connections) => {
  const [warning, ...more] = warnings(defaults, connections);

  expect(warning).toContain(`The baseUrl of ${whose} holds a path that is added to it`);
  expect(warning).toContain(`requests go to ${path} behind that path. If`);
  expect(warning).not.toContain('canary');
  expect(more).toEqual([]);
});

test('says nothing of an address with another path', () => {
  expect(warnings({ baseUrl: 'https://api.example.com/v2.0/eu' }, { demo: plain })).toEqual([]);
});
