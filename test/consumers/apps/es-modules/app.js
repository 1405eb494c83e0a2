import { createRequire } from 'node:module';
import { App, Stack } from 'aws-cdk-lib';
import { createCustomersClient, SettingError } from 'customers-functions';
import { CustomersIntegration } from 'customers-functions/infra';
import { customersClient } from 'customers-functions/lambda';
import { startSimulator } from 'customers-functions/testing';

const require = createRequire(import.meta.url);
const stack = new Stack(new App(), 'Stack');
new CustomersIntegration(stack, 'Customers', {
  connectionTable: { defaults: { baseUrl: 'https://api.example.com' }, connections: { demo: {} } },
});
const required = require('customers-functions/infra');
process.stdout.write(
  JSON.stringify({
    loaded: [createCustomersClient, SettingError, customersClient, startSimulator].map(
      (each) => typeof each,
    ),
    functions: stack.node.findAll().filter((each) => 'functionArn' in each).length > 5,
    oneCopyOfTheConstruct: required.CustomersIntegration === CustomersIntegration,
    version: require('customers-functions/package.json').version,
    schema: typeof require('customers-functions/openapi.json').openapi,
  }),
);
