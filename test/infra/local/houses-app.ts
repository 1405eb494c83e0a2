// Synthesizes stacks into folders below the one that is named: a template with two integrations, under these names.
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';
import { ADDRESS_IN_SECRET } from '../../../infra/local/start/synthesize.ts';

const [folder = '', ...names] = process.argv.slice(2);
for (const name of names) {
  const app = new App({ outdir: join(folder, name), analyticsReporting: false });
  const stack = new Stack(app, name);
  for (const id of ['Sales', 'Support']) {
    new CustomersIntegration(stack, id, {
      connectionTable: { defaults: { baseUrl: ADDRESS_IN_SECRET }, connections: { demo: {} } },
      schedule: { schedule: ScheduleExpression.rate(Duration.days(1)) },
    });
  }
  app.synth();
}
