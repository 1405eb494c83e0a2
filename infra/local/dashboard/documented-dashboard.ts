import { App } from 'aws-cdk-lib';
import { CONTEXT_KEY } from '../../customers-settings.ts';
import { CustomersStack } from '../../customers-stack.ts';
import { widgetsOf } from './dashboard-body.ts';
import { dashboardPicture } from './dashboard-picture.ts';

/** The picture of the dashboard that a stack with a scheduled connection has. */
export function documentedDashboard(): string {
  const settings = {
    baseUrl: 'https://api.example.com',
    connections: { demo: { schedule: 'cron(0 3 * * ? *)' } },
  };
  const app = new App({ context: { [CONTEXT_KEY]: settings, 'aws:cdk:bundling-stacks': [] } });
  const stack = new CustomersStack(app, 'CustomersFunctions');
  const { Resources } = app.synth().getStackArtifact(stack.artifactId).template;
  for (const resource of Object.values(Object(Resources))) {
    const { Type, Properties } = Object(resource);
    if (Type === 'AWS::CloudWatch::Dashboard') {
      return dashboardPicture(widgetsOf(Properties.DashboardBody));
    }
  }
  throw new Error('The stack has no dashboard.');
}
