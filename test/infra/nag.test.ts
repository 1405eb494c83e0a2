import { expect, test } from '@jest/globals';
import { App, Duration, NestedStack, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { AwsSolutionsChecks } from 'cdk-nag';
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

type Grants = Pick<CustomersIntegration, Extract<keyof CustomersIntegration, `grant${string}`>>;

const GRANTS: Readonly<
  Record<keyof Grants, (integration: Grants, own: Lambda, connections?: string[]) => unknown>
> = {
  grantClient: (integration, own, connections) => integration.grantClient(own, connections),
  grantRead: (integration, own, connections) => integration.grantRead(own, connections),
  grantQuery: (integration, own, connections) => integration.grantQuery(own, connections),
  grantStart: (integration, own) => integration.grantStart(own),
  grantRequest: (integration, own) => integration.grantRequest(own),
  grantHttpApi: (integration, own, connections) => integration.grantHttpApi(own, connections),
  grantListFiles: (integration, own, connections) => integration.grantListFiles(own, connections),
  grantListChanges: (integration, own, connections) =>
    integration.grantListChanges(own, connections),
  grantDecideChanges: (integration, own, connections) =>
    integration.grantDecideChanges(own, connections),
  grantCancelExport: (integration, own, connections) =>
    integration.grantCancelExport(own, connections),
  grantOpenGate: (integration, own, connections) => integration.grantOpenGate(own, connections),
};

/** A function with a role that has no finding of its own. */
function ownFunction(stack: Stack, id: string): Lambda {
  const role = new Role(stack, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  });
  const code = Code.fromInline('exports.handler = () => {}');
  return new Lambda(stack, id, { role, code, handler: 'i.h', runtime: Runtime.NODEJS_24_X });
}

test.each([
  ['all connections', undefined],
  ['one connection', ['demo']],
])(
  'functions of the user that got every grant, for %s, have no finding by them',
  (_, connections) => {
    const app = new App({ autoSynth: false });
    const stack = new Stack(app, 'Stack');
    const { connectionTable } = customersSettingsOf(base);
    const integration = new CustomersIntegration(stack, 'Customers', { connectionTable });
    const near = new Stack(app, 'Near');
    for (const [name, grant] of Object.entries(GRANTS)) {
      for (const scope of [stack, near]) grant(integration, ownFunction(scope, name), connections);
    }
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

    expect(() => app.synth()).not.toThrow();
  },
  180_000,
);

test('a finding that nobody acknowledged ends synthesis', () => {
  const { app, stack } = appWith(base);
  new Bucket(stack, 'Careless');

  expect(() => app.synth()).toThrow(/AwsSolutions-S1'/);
}, 180_000);
