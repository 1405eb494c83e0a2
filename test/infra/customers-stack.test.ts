import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { App, Aspects } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import * as v from 'valibot';
import { CustomersStack } from '../../infra/customers-stack.ts';
import { propertiesOf, synthesizedStack } from './synthesized-stack.ts';

let template: Template;
beforeAll(() => {
  template = synthesizedStack({
    baseUrl: 'https://api.example.com',
    connections: {
      demo: { schedule: 'cron(0 3 * * ? *)', perPage: 50 },
      second: {
        schedule: {
          expression: 'cron(30 6 ? * MON-FRI *)',
          timezone: 'Europe/Berlin',
          flexibleWindowMinutes: 15,
          enabled: false,
          start: '2999-01-01T00:00:00+01:00',
          end: '2999-02-01T00:00:00Z',
        },
      },
      third: {},
    },
  });
});

const worker = () => resource('AWS::Lambda::Function', /^Takes pages/);

/** The properties of the one resource of this type whose description matches. */
function resource(type: string, description: RegExp): Record<string, unknown> {
  const found = Object.values(template.findResources(type)).filter(({ Properties }) =>
    description.test(Properties.Description),
  );
  expect(found).toHaveLength(1);
  return found[0]?.['Properties'];
}

test('lets exports, their comparison and their changes go on for more steps than Lambda would', () => {
  expect(worker()).toMatchObject({ RecursiveLoop: 'Allow' });
  template.resourcePropertiesCountIs('AWS::Lambda::Function', { RecursiveLoop: 'Allow' }, 3);
});

test('runs all functions on Node.js 24 and arm64, with JSON logs that expire', () => {
  template.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: 'nodejs24.x',
    Architectures: ['arm64'],
    Handler: 'index.handler',
    LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
    Timeout: Match.anyValue(),
    MemorySize: Match.anyValue(),
  });
  template.resourceCountIs('AWS::Lambda::Function', 9);
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  // One for each function, and the access log of the HTTP API.
  template.resourceCountIs('AWS::Logs::LogGroup', 10);
});

test('sets both sizes of the heap or none, since Lambda sets neither where one is set', () => {
  // The worker's, and that of the function that describes what the worker stored.
  expect(heapSharesOf(propertiesOf(template, 'AWS::Lambda::Function'))).toEqual([
    expect.closeTo(0.9),
    expect.closeTo(0.9),
  ]);
});

test('the heap has its share of the memory that an aspect of the app sets', () => {
  const settings = { baseUrl: 'https://api.example.com', connections: {} };
  const context = { 'customers-functions': settings, 'aws:cdk:disable-asset-staging': true };
  const stack = new CustomersStack(new App({ context }), 'Stack');
  const visit = (node: IConstruct) => {
    if (node instanceof CfnFunction) node.memorySize = 2_000;
  };
  Aspects.of(stack).add({ visit });
  const functions = Template.fromStack(stack).findResources('AWS::Lambda::Function');
  const properties = Object.values(functions).map(({ Properties }) => Properties);

  expect(heapSharesOf(properties)).toEqual([0.9, 0.9]);
});

function heapSharesOf(functions: readonly Record<string, unknown>[]): readonly number[] {
  return functions.flatMap(({ MemorySize, Environment }) => {
    const { NODE_OPTIONS: options } = v.parse(HasOptions, Environment).Variables;
    if (options === undefined) return [];
    const [, old = ''] =
      /--max-semi-space-size=\d+ --max-old-space-size=(\d+)$/.exec(options) ?? [];
    return [Number(old) / Number(MemorySize)];
  });
}

const HasOptions = v.object({ Variables: v.object({ NODE_OPTIONS: v.optional(v.string()) }) });

test('messages of every queue outlast an outage of two hours, planned starts of all connections too', () => {
  const create = { name: 'create', method: 'POST', resource: 'customers' };
  const whole = synthesizedStack({
    baseUrl: 'https://api.example.com',
    schedule: 'rate(1 day)',
    connections: { demo: {} },
    changes: { events: true },
    operations: [{ ...create, acceptsIdempotencyKey: true }],
  });
  const outlasted = propertiesOf(whole, 'AWS::SQS::Queue').flatMap((queue) => {
    const receives = Number(Object(queue['RedrivePolicy']).maxReceiveCount);
    return receives > 0 ? [(receives - 1) * Number(queue['VisibilityTimeout'])] : [];
  });
  expect(outlasted).toHaveLength(5);
  expect(Math.min(...outlasted)).toBeGreaterThanOrEqual(7_200);
});

test('hides a message six times as long as the worker may take', () => {
  const [queue] = propertiesOf(template, 'AWS::SQS::Queue').filter(
    (queue) => queue['RedrivePolicy'],
  );
  expect(queue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * Number(worker()['Timeout']));
});

test('keeps dead letters longer than messages', () => {
  template.hasResourceProperties('AWS::SQS::Queue', {
    RedrivePolicy: { maxReceiveCount: 5 },
    MessageRetentionPeriod: 4 * 24 * 3600,
  });
  template.resourcePropertiesCountIs(
    'AWS::SQS::Queue',
    { RedrivePolicy: Match.absent(), MessageRetentionPeriod: 14 * 24 * 3600 },
    4,
  );
});

test('hands the worker one message at a time, as many at once as an account can spare', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    BatchSize: 1,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 50 },
  });
});

test('starts each scheduled connection with the planned time, which is the same in every delivery', () => {
  const schedules = propertiesOf(template, 'AWS::Scheduler::Schedule');

  expect(schedules).toHaveLength(2);
  expect(schedules[0]).toMatchObject({
    ScheduleExpression: 'cron(0 3 * * ? *)',
    Target: {
      Input: JSON.stringify({
        connection: 'demo',
        list: 'customers',
        trigger: { kind: 'schedule', scheduledTime: '<aws.scheduler.scheduled-time>' },
      }),
      RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 10 },
      DeadLetterConfig: { Arn: expect.anything() },
    },
    ScheduleExpressionTimezone: 'Etc/UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
  });
});

test('schedules as a connection says, in a group of the stack', () => {
  const [, second] = propertiesOf(template, 'AWS::Scheduler::Schedule');

  expect(second).toMatchObject({
    GroupName: expect.stringMatching(/^Stack-Customers-Schedules/),
    ScheduleExpression: 'cron(30 6 ? * MON-FRI *)',
    ScheduleExpressionTimezone: 'Europe/Berlin',
    FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
    State: 'DISABLED',
    StartDate: '2998-12-31T23:00:00.000Z',
    EndDate: '2999-02-01T00:00:00.000Z',
  });
  template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
  template.allResources('AWS::Scheduler::Schedule', {
    DependsOn: [Match.stringLikeRegexp('Schedules')],
  });
});

test('starts an export for each event that asks for one, and loses none', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'default',
    EventPattern: {
      account: [{ Ref: 'AWS::AccountId' }],
      source: ['customers-functions.requests'],
      'detail-type': ['Export Requested'],
      // One that names none comes too, so that its sender hears of it.
      detail: { integration: ['Stack', { exists: false }] },
    },
    Targets: [
      Match.objectLike({
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('StartExport'), 'Arn'] },
        DeadLetterConfig: Match.anyValue(),
        Input: Match.absent(),
        InputPath: Match.absent(),
        InputTransformer: Match.absent(),
      }),
    ],
  });
});

test('listens and tells on a bus of your own, and hears of new keys on the default one', () => {
  const own = synthesizedStack({
    baseUrl: 'https://api.example.com',
    eventBus: 'team.events',
    connections: { demo: {} },
  });

  const rules = Object.values(own.findResources('AWS::Events::Rule')).map(
    ({ Properties }) => Properties,
  );
  const busOf = (detailType: string) =>
    rules.find(({ EventPattern }) => EventPattern?.['detail-type']?.includes(detailType))
      ?.EventBusName;
  expect(busOf('Export Requested')).toBe('team.events');
  expect(busOf('Secret Label Updated')).toBeUndefined();
  const buses = Object.values(own.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => Properties.Environment.Variables.EVENT_BUS ?? [],
  );
  expect(new Set(buses)).toEqual(new Set(['team.events']));
  const policies = JSON.stringify(own.findResources('AWS::IAM::Policy'));
  expect(policies).toContain('event-bus/team.events');
  expect(policies).not.toContain('event-bus/default');
});

test('keeps starts, sweeps and measurements that failed three times', () => {
  template.resourcePropertiesCountIs(
    'AWS::Lambda::Function',
    { DeadLetterConfig: { TargetArn: Match.anyValue() } },
    3,
  );
});

test('sweeps every five minutes and as soon as there is a new key', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(5 minutes)',
    Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue() })],
  });
  template.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      account: [{ Ref: 'AWS::AccountId' }],
      source: ['aws.secretsmanager'],
      'detail-type': ['Secret Label Updated'],
      detail: { name: [{ prefix: 'customers-functions/Stack/' }], labelUpdated: ['AWSCURRENT'] },
    },
  });
});

test('keeps the ledger and the exports when the stack goes', () => {
  template.hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'deleteAt', Enabled: true },
      GlobalSecondaryIndexes: [
        Match.objectLike({ IndexName: 'active-exports' }),
        Match.objectLike({
          IndexName: 'export-history',
          Projection: { ProjectionType: 'KEYS_ONLY' },
        }),
        Match.objectLike({
          IndexName: 'open-writes',
          Projection: { ProjectionType: 'KEYS_ONLY' },
        }),
      ],
    },
  });
  template.hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          {
            NoncurrentVersionExpiration: { NoncurrentDays: 7 },
            ExpiredObjectDeleteMarker: true,
            Status: 'Enabled',
          },
        ],
      },
    },
  });
});

test('is told in the documentation with the keys and the indexes that a table of your own needs', () => {
  const [, described = ''] =
    readFileSync(join(import.meta.dirname, '../../docs/your-own-resources.md'), 'utf8').match(
      /create-table --cli-input-json '(\{[^']*\})'/,
    ) ?? [];
  const { TableName, ...table } = JSON.parse(described);

  template.hasResourceProperties('AWS::DynamoDB::Table', table);
});

test('tells where things are', () => {
  expect(Object.keys(template.findOutputs('*')).sort()).toEqual([
    'ChangeDeadLetterQueueUrl',
    'ChangeLogGroupName',
    'ChangeQueueUrl',
    'DashboardName',
    'DatabaseName',
    'DescriptionDeadLetterQueueUrl',
    'DescriptionLogGroupName',
    'ExportBucketName',
    'ExportDeadLetterQueueUrl',
    'ExportLogGroupName',
    'ExportQueueUrl',
    'HttpApiLogGroupName',
    'HttpApiUrl',
    'IntegrationId',
    'KeptBucketNames',
    'KeptLogGroupNames',
    'KeptTableNames',
    'LedgerTableName',
    'ListChangesLogGroupName',
    'ListFilesLogGroupName',
    'MeasureLogGroupName',
    'RunExportFunctionName',
    'SecretPrefix',
    'StartExportFunctionName',
    'StartLogGroupName',
    'SweepLogGroupName',
    'UndeliveredQueueUrl',
  ]);
});

test('makes no secret but that of fingerprints: a key never passes through CloudFormation', () => {
  template.resourceCountIs('AWS::SecretsManager::Secret', 1);
  template.hasResourceProperties('AWS::SecretsManager::Secret', {
    GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    SecretString: Match.absent(),
  });
  expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:');
});

test('deletes old exports only when asked to, and keeps what was deleted as long as asked to', () => {
  const bucketOf = (settings: object) =>
    synthesizedStack({ baseUrl: 'https://api.example.com', ...settings });
  const rules = (...Rules: readonly object[]) => ({ LifecycleConfiguration: { Rules } });
  // What points to parts goes when they do.
  const old = ['exports/', 'tables/'].map((Prefix) => ({
    ExpirationInDays: 400,
    Prefix,
    Status: 'Enabled',
  }));
  const deleted = {
    NoncurrentVersionExpiration: { NoncurrentDays: 3 },
    ExpiredObjectDeleteMarker: true,
    Status: 'Enabled',
  };

  bucketOf({ keepExportsDays: 400, keepDeletedDays: 3 }).hasResourceProperties('AWS::S3::Bucket', {
    VersioningConfiguration: { Status: 'Enabled' },
    ...rules(...old, deleted),
  });
  bucketOf({ keepExportsDays: 400, keepDeletedDays: false }).hasResourceProperties(
    'AWS::S3::Bucket',
    { VersioningConfiguration: Match.absent(), ...rules(...old) },
  );
});

test('fails for more connections than the environment of a function holds', () => {
  const connections = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`connection-${index}`, { perPage: 50 }]),
  );

  expect(() => synthesizedStack({ baseUrl: 'https://api.example.com', connections })).toThrow(
    /^connections: with the settings and schedules of connections the function [a-z-]+ needs \d+ bytes, and 4096 fit/,
  );
});
