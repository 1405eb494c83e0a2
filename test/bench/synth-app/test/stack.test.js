// A user's test of a stack, which notes what it took. `measured` comes from the command line of jest.
const { writeFileSync } = require('node:fs');

process.env.CDK_VALIDATION = String(measured.isValidated);
const startedMs = performance.now();
const used = process.cpuUsage();
const { App, Stack } = require('aws-cdk-lib/core');
const { Template } = require('aws-cdk-lib/assertions');

const parts = {
  integration(stack) {
    const { CustomersIntegration } = require('customers-functions/infra');
    const connectionTable = {
      defaults: { baseUrl: 'https://api.example.com' },
      connections: { demo: {} },
    };
    new CustomersIntegration(stack, 'Customers', { connectionTable });
  },
  lambda(stack) {
    const { Code, Function: Lambda, Runtime } = require('aws-cdk-lib/aws-lambda');
    const code = Code.fromInline('exports.handler = () => {};');
    new Lambda(stack, 'Lambda', { code, handler: 'index.handler', runtime: Runtime.NODEJS_22_X });
  },
};

test('has a function', () => {
  const stack = new Stack(new App(), 'Stack');
  parts[measured.part](stack);
  const template = Template.fromStack(stack);
  const { user, system } = process.cpuUsage(used);
  const figures = { elapsedMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
  writeFileSync('figures.json', JSON.stringify(figures));

  expect(Object.keys(template.findResources('AWS::Lambda::Function')).length).toBeGreaterThan(0);
});
