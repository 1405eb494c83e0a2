const cdk = require('aws-cdk-lib');
const { Annotations, Match } = require('aws-cdk-lib/assertions');
const { AwsSolutionsChecks, ServerlessChecks } = require('cdk-nag');
const { CustomersIntegration } = require('customers-functions/infra');

const app = new cdk.App();
const stack = new cdk.Stack(app, 'Stack');
for (const id of ['Customers', 'Partners']) {
  new CustomersIntegration(stack, id, {
    connectionTable: { defaults: { baseUrl: 'https://api.example.com' }, connections: { demo: {} } },
  });
}
const isVersion2 = 'visit' in AwsSolutionsChecks.prototype;
for (const Pack of [AwsSolutionsChecks, ServerlessChecks]) {
  if (isVersion2) cdk.Aspects.of(app).add(new Pack());
  else cdk.Validations.of(app).addPlugins(new Pack(app));
}
// With version 3 a finding throws here.
app.synth();
const found = Annotations.fromStack(stack);
const findings = [
  ...found.findError('*', Match.anyValue()),
  ...found.findWarning('*', Match.anyValue()),
];
process.stdout.write(JSON.stringify(findings.map(({ id, entry }) => `${id}: ${entry.data}`)));
