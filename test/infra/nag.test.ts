import { expect, test } from '@jest/globals';
import { App, Duration, NestedStack, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CustomersIntegration } from '../../infra/constructs/customers-integration.ts';
import { CustomersStack } from '../../infra/customers-stack.ts';
import { addNagPacks } from '../../infra/nag.ts';
import { customersSettingsOf } from '../../infra/settings/customers-settings.ts';
import { flagsOfCdkJson } from './cdk-json.ts';

const base = { baseUrl: 'https://api.example.com', connections: { demo: {} } };

function appWith(settings: object): { app: App; stack: CustomersStack } {
  // One of the flags makes what the CDK's own validator of templates finds an error too.
  const context = {
    ...flagsOfCdkJson(),
    'customers-functions': settings,
    'aws:cdk:disable-asset-staging': true,
  };
  const app = new App({ context, autoSynth: false });
  const stack = new CustomersStack(app, 'Stack');
  addNagPacks(app);
  return { app, stack };
}

test.each<[string, object]>([
  ['the least settings', base],
  [
    'all parts',
    {
      ...base,
      eventBus: 'team.events',
      secretPrefix: 'team/keys/',
      keepExportsDays: 400,
      keepDeletedDays: false,
      deletionProtection: false,
      alarms: { topicArn: 'arn:aws:sns:eu-central-1:123456789012:on-call' },
      connections: { demo: { schedule: 'rate(1 day)' }, other: { schedule: 'rate(1 hour)' } },
    },
  ],
  [
    'resources of the owner',
    {
      ...base,
      bucket: 'team-exports',
      table: 'team-ledger',
      encryptionKey:
        'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555',
      vpc: { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0'] },
    },
  ],
  [
    'no HTTP API, alarms, tables and reports',
    { ...base, httpApi: false, alarms: false, tables: false, describeExports: false },
  ],
  ['a schedule for all connections', { baseUrl: base.baseUrl, schedule: 'rate(1 day)' }],
  [
    'tokens in place of IAM',
    {
      ...base,
      httpApi: { authorization: { issuer: 'https://login.example.com', audience: ['a'] } },
    },
  ],
])(
  'a stack with %s has no finding of AwsSolutions, Serverless and the validator of templates',
  (_, settings) => {
    expect(() => appWith(settings).app.synth()).not.toThrow();
  },
  180_000,
);

test('two integrations in one stack, one of them in a nested one, have no finding either', () => {
  const context = { ...flagsOfCdkJson(), 'aws:cdk:disable-asset-staging': true };
  const app = new App({ context, autoSynth: false });
  const stack = new Stack(app, 'Stack');
  const { connectionTable } = customersSettingsOf(base);
  const schedule = ScheduleExpression.rate(Duration.days(1));
  for (const [scope, id] of [
    [stack, 'One'],
    [stack, 'Two'],
    [new NestedStack(stack, 'Nested'), 'Three'],
  ] as const) {
    new CustomersIntegration(scope, id, { connectionTable, schedule: { schedule } });
  }
  addNagPacks(app);

  expect(() => app.synth()).not.toThrow();
}, 180_000);

test('a finding that nobody acknowledged ends synthesis', () => {
  const { app, stack } = appWith(base);
  new Bucket(stack, 'Careless');

  expect(() => app.synth()).toThrow(/AwsSolutions-S1'/);
}, 180_000);
