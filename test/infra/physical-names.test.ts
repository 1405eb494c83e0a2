import { expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CustomersIntegration } from '../../infra/constructs/customers-integration.ts';
import { customersSettingsOf } from '../../infra/settings/customers-settings.ts';

/** The property that names a resource of this type; `undefined`: it has no name of its own. */
const NAME_OF: Readonly<Record<string, readonly string[] | undefined>> = {
  'AWS::ApiGatewayV2::Api': ['Name'],
  'AWS::ApiGatewayV2::Authorizer': ['Name'],
  'AWS::ApiGatewayV2::Integration': undefined,
  'AWS::ApiGatewayV2::Route': undefined,
  'AWS::ApiGatewayV2::Stage': ['StageName'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::DynamoDB::Table': ['TableName'],
  'AWS::Events::Rule': ['Name'],
  'AWS::Glue::Database': ['DatabaseInput', 'Name'],
  'AWS::Glue::Table': ['TableInput', 'Name'],
  'AWS::IAM::Policy': ['PolicyName'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::Lambda::EventSourceMapping': undefined,
  'AWS::Lambda::Function': ['FunctionName'],
  'AWS::Lambda::Permission': undefined,
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::Logs::QueryDefinition': ['Name'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::S3::BucketPolicy': undefined,
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::SQS::QueuePolicy': undefined,
  'AWS::Scheduler::Schedule': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
};

/** Why a name that the template gives cannot be taken. All others are made by CloudFormation, at random. */
const WHY: Readonly<Record<string, 'names need not differ' | 'inside of its own' | 'of its own'>> =
  {
    'AWS::ApiGatewayV2::Api': 'names need not differ',
    'AWS::ApiGatewayV2::Authorizer': 'inside of its own', // API
    'AWS::ApiGatewayV2::Stage': 'inside of its own', // API
    'AWS::Glue::Table': 'inside of its own', // database
    'AWS::IAM::Policy': 'inside of its own', // role
    'AWS::CloudWatch::Dashboard': 'of its own',
    'AWS::Glue::Database': 'of its own',
    'AWS::Logs::QueryDefinition': 'of its own',
    'AWS::Scheduler::ScheduleGroup': 'of its own',
  };

interface Named {
  readonly type: string;
  /** As in the template. */
  readonly name: string;
  readonly deletionPolicy: string | undefined;
}

const { connectionTable } = customersSettingsOf({
  baseUrl: 'https://api.example.com',
  connections: { demo: {} },
  operations: [
    { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  ],
});
const schedule = ScheduleExpression.rate(Duration.days(1));
const jwt = { issuer: 'https://login.example.com', audience: ['a'] };

function resourcesOf(stackName: string, ids: readonly string[]): [string, unknown][] {
  const app = new App({ context: { 'aws:cdk:disable-asset-staging': true } });
  const stack = new Stack(app, 'Stack', { stackName });
  for (const id of ids) {
    new CustomersIntegration(stack, id, {
      connectionTable,
      schedule: { schedule },
      schedules: { demo: schedule },
      httpApi: { authorization: jwt },
    });
  }
  return Object.entries(Template.fromStack(stack).toJSON()['Resources']);
}

function namesIn(resources: [string, unknown][]): Named[] {
  return resources.flatMap(([, resource]) => {
    const { Type: type, Properties, DeletionPolicy: deletionPolicy } = Object(resource);
    const name = NAME_OF[type]?.reduce((value, key) => Object(value)[key], Properties);
    return name === undefined ? [] : [{ type, name: JSON.stringify(name), deletionPolicy }];
  });
}

test('it is known of each resource type what names it, and of each given name why it is free', () => {
  const resources = resourcesOf('dev', ['Customers']);
  const types = new Set(resources.map(([, resource]) => String(Object(resource).Type)));

  expect([...types].filter((type) => !Object.hasOwn(NAME_OF, type))).toEqual([]);
  const given = new Set(namesIn(resources).map(({ type }) => type));
  expect([...given].toSorted()).toEqual(Object.keys(WHY).toSorted());
});

test('no two integrations give the same name, in one stack or in stacks of the same template', () => {
  const all = [
    ...namesIn(resourcesOf('dev', ['Customers', 'Other'])),
    ...namesIn(resourcesOf('prod', ['Customers', 'other'])),
  ];
  const own = all.filter(({ type }) => WHY[type] === 'of its own').map(({ name }) => name);

  expect(own).toHaveLength(4 * 4);
  expect(new Set(own).size).toBe(own.length);
});

test('no name stays taken when its stack is deleted, or its first deployment fails', () => {
  const kept = namesIn(resourcesOf('dev', ['Customers'])).filter(({ deletionPolicy }) =>
    deletionPolicy?.startsWith('Retain'),
  );

  expect(kept).toEqual([]);
});

test('two integrations with all that they can have fit into a stack', () => {
  // CloudFormation quotas: "Resources" of a template.
  expect(resourcesOf('dev', ['Customers', 'Other']).length).toBeLessThanOrEqual(500);
});
