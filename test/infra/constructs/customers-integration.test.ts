import { beforeAll, expect, test } from '@jest/globals';
import { App, Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import {
  type Attribute,
  AttributeType,
  ProjectionType,
  Table,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { ROUTES } from '../../../functions/http/routes.ts';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';
import type { CustomersIntegrationProps } from '../../../infra/constructs/integration-props.ts';
import { decide } from '../../../infra/local/iam/decide.ts';
import type { Caller } from '../../../infra/local/iam/request.ts';
import { readStatements } from '../../../infra/local/iam/statement.ts';
import { arnWildcard } from '../../../infra/local/iam/wildcard.ts';
import { exportIdOf, type Trigger } from '../../../lib/exports/export-id.ts';
import { statementsOf } from '../role-statements.ts';

const connectionTable = {
  defaults: { baseUrl: 'https://api.example.com' },
  connections: { demo: {}, 'demo-2': {}, third: {} },
};

function newStack(): Stack {
  return new Stack(new App({ context: { 'aws:cdk:disable-asset-staging': true } }), 'Stack');
}

function made(props: Partial<CustomersIntegrationProps> = {}, stack = newStack()) {
  return new CustomersIntegration(stack, 'Customers', { connectionTable, ...props });
}

let integration: CustomersIntegration;
let statements: (role: string) => readonly unknown[];
beforeAll(() => {
  const stack = newStack();
  integration = made({ schedules: { demo: ScheduleExpression.rate(Duration.hours(6)) } }, stack);
  const role = (id: string) =>
    new Role(stack, id, { assumedBy: new ServicePrincipal('glue.amazonaws.com') });
  integration.grantRead(role('ReadsAll'));
  integration.grantRead(role('ReadsOne'), ['demo']);
  integration.grantStart(role('Starts'));
  integration.grantRequest(role('Requests'));
  integration.grantHttpApi(role('CallsAll'));
  integration.grantHttpApi(role('CallsOne'), ['demo']);
  integration.grantOpenGate(role('OpensAll'));
  integration.grantOpenGate(role('OpensOne'), ['demo']);
  integration.grantCancelExport(role('CancelsAll'));
  integration.grantCancelExport(role('CancelsOne'), ['demo']);
  integration.grantListFiles(role('DownloadsAll'));
  integration.grantListFiles(role('DownloadsOne'), ['demo']);
  integration.grantDecideChanges(role('DecidesAll'));
  integration.grantDecideChanges(role('DecidesOne'), ['demo']);
  integration.grantListChanges(role('ComparesAll'));
  integration.grantListChanges(role('ComparesOne'), ['demo']);
  const own = (id: string) =>
    new Lambda(stack, id, {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = () => {}'),
      description: id,
    });
  integration.grantClient(own('UsesAll'));
  integration.grantClient(own('UsesOne'), ['demo']);
  const template = Template.fromStack(stack);
  statements = (id) =>
    id.startsWith('Uses')
      ? statementsOf(template, new RegExp(`^${id}$`))
      : Object.values(template.findResources('AWS::IAM::Policy'))
          .filter(({ Properties }) => Properties.Roles[0].Ref.startsWith(id))
          .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
});

const endingWith = (end: string) => ({
  'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(new RegExp(`${end}$`))])],
});
const bucket = { 'Fn::GetAtt': [expect.stringMatching(/^CustomersStoreBucket/), 'Arn'] };

test.each([
  ['ReadsAll', 'exports/\\*', 'exports/*'],
  ['ReadsOne', 'exports/connection=demo/\\*', 'exports/connection=demo/*'],
])('%s may read and list objects under its prefix, and nothing else', (role, end, prefix) => {
  expect(statements(role)).toEqual([
    {
      Effect: 'Allow',
      Action: 's3:GetObject',
      Resource: { 'Fn::Join': ['', [bucket, expect.stringMatching(new RegExp(`^/${end}$`))]] },
    },
    {
      Effect: 'Allow',
      Action: 's3:ListBucket',
      Resource: bucket,
      Condition: { StringLike: { 's3:prefix': [prefix] } },
    },
  ]);
});

test('a function of your own is for one integration, whose keys no other one replaces', () => {
  const stack = newStack();
  const own = new Lambda(stack, 'Own', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = () => {}'),
  });
  const first = made({}, stack);
  const other = new CustomersIntegration(stack, 'Other', { connectionTable });
  first.grantClient(own, ['demo']);
  first.grantClient(own, ['second']);

  expect(() => other.grantClient(own, ['demo'])).toThrow(
    'own: expected a function for each integration, since its environment names one: Stack/Own has that of Stack/Customers already',
  );
  Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
    Code: { ZipFile: 'exports.handler = () => {}' },
    Environment: { Variables: { SECRET_PREFIX: first.secretPrefix } },
  });
});

test('is named in events by its place, or as the app says', () => {
  const stack = newStack();
  expect(made({}, stack).integrationId).toBe('Stack.Customers');
  const rule = { EventPattern: { detail: { integration: ['Team.North', { exists: false }] } } };
  const own = newStack();
  expect(made({ integrationId: 'Team.North' }, own).integrationId).toBe('Team.North');
  const template = Template.fromStack(own);
  template.hasResourceProperties('AWS::Events::Rule', rule);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ INTEGRATION_ID: 'Team.North' }) },
  });
});

test('who may start exports may invoke that function, in its newest version alone', () => {
  expect(statements('Starts')).toEqual([
    {
      Effect: 'Allow',
      Action: 'lambda:InvokeFunction',
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^CustomersStartExport/), 'Arn'] },
    },
  ]);
});

test('who may ask by event may publish that event and no other', () => {
  expect(statements('Requests')).toEqual([
    {
      Effect: 'Allow',
      Action: 'events:PutEvents',
      Resource: endingWith(':event-bus/default'),
      Condition: {
        StringEquals: {
          'events:source': 'customers-functions.requests',
          'events:detail-type': 'Export Requested',
        },
      },
    },
  ]);
});

/** `allowed` routes of `demo` and of another connection, by their operation. */
function reached(role: string) {
  const identity = readStatements({ Statement: statements(role).map(resolved) }, role);
  const caller: Caller = { kind: 'role', name: role, context: {} };
  const of = (connection: string) =>
    Object.entries(ROUTES).flatMap(([operation, { method, path }]) => {
      const filled = path.replace('{connection}', connection).replace(/\{\w+\}/, EXPORT_ID);
      const resource = `arn:aws:execute-api:r:1:api/$default/${method}${filled}`;
      const request = { action: 'execute-api:Invoke', resource };
      const { kind } = decide({ identity, resource: [] }, caller, request);
      return kind === 'allowed' ? [operation] : [];
    });
  return { demo: of('demo'), other: of('other') };
}

/** A statement with the account, the region and the API in place of their references. */
function resolved(statement: unknown): object {
  const resources = [Object(statement).Resource]
    .flat()
    .map((resource) =>
      resource['Fn::Join'][1]
        .map((part: unknown) => (typeof part === 'string' ? part : REFERENCES[Object(part).Ref]))
        .join(''),
    );
  return { ...Object(statement), Resource: resources };
}

const REFERENCES: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'r',
  'AWS::AccountId': '1',
  CustomersHttpApiD45907AA: 'api',
};
const EXPORT_ID = exportIdOf('demo', 'customers', { kind: 'request', idempotencyKey: 'nightly' });
const OWN_GRANTS = {
  Opens: ['openGate'],
  Downloads: ['listFiles'],
  Compares: ['listChanges'],
  Decides: ['decideChanges'],
  Cancels: ['cancelExport'],
} as const;
const GRANTED_APART: readonly string[] = Object.values(OWN_GRANTS).flat();

test('who may call the HTTP API reaches all routes but those that are granted apart', () => {
  const operations = Object.keys(ROUTES).filter((each) => !GRANTED_APART.includes(each));

  expect(reached('CallsAll')).toEqual({ demo: operations, other: operations });
  expect(reached('CallsOne')).toEqual({ demo: operations, other: [] });
});

test.each(Object.entries(OWN_GRANTS))('%s reaches %j and no other route', (role, operations) => {
  expect(reached(`${role}All`)).toEqual({ demo: operations, other: operations });
  expect(reached(`${role}One`)).toEqual({ demo: operations, other: [] });
});

test.each<Trigger>([
  { kind: 'request', idempotencyKey: 'a' },
  { kind: 'schedule', scheduledTime: 'a' },
  { kind: 'event', eventId: 'a' },
  { kind: 'organization', endedExportId: 'a' },
])('who may call the HTTP API sees every export that a $kind began', (trigger) => {
  const id = exportIdOf('demo', 'customers', trigger);
  const patterns = statements('CallsOne')
    .map(resolved)
    .flatMap((each) => Object(each).Resource);
  const arn = `arn:aws:execute-api:r:1:api/$default/GET/connections/demo/exports/${id}`;

  expect(patterns.filter((pattern) => arnWildcard(pattern)(arn))).toHaveLength(1);
  expect(patterns.filter((pattern) => arnWildcard(pattern)(`${arn}/files`))).toEqual([]);
  expect(patterns.filter((pattern) => arnWildcard(pattern)(`${arn}/changes`))).toEqual([]);
  expect(patterns.filter((pattern) => arnWildcard(pattern)(`${arn}/cancel`))).toEqual([]);
});

test('a function of your own with all connections reads all keys and all gates', () => {
  expect(statements('UsesAll')).toEqual([
    {
      Effect: 'Allow',
      Action: 'secretsmanager:GetSecretValue',
      Resource: endingWith(':secret:customers-functions/Stack.Customers/\\*'),
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^CustomersLedger/), 'Arn'] },
    },
  ]);
});

test('a function of your own with one connection reads its key and its items alone', () => {
  expect(statements('UsesOne')).toEqual([
    {
      Effect: 'Allow',
      Action: 'secretsmanager:GetSecretValue',
      Resource: [
        // Not demo-2: a hyphen and exactly six characters of Secrets Manager follow the name.
        endingWith(':secret:customers-functions/Stack.Customers/demo-\\?{6}'),
        endingWith(':secret:customers-functions/Stack.Customers/demo'),
      ],
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^CustomersLedger/), 'Arn'] },
      Condition: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['demo'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    },
  ]);
});

test('grants for many connections fit into policies, as many as IAM takes', () => {
  const stack = newStack();
  const many = made({}, stack);
  const role = new Role(stack, 'Reader', { assumedBy: new ServicePrincipal('ecs.amazonaws.com') });
  const names = Array.from({ length: 30 }, (_, index) => `connection-of-a-customer-${index}`);
  many.grantHttpApi(role, names);
  many.grantRead(role, names);
  many.grantQuery(role, names);

  const template = Template.fromStack(stack);
  const policies = (type: string) =>
    Object.entries(template.findResources(type))
      .filter(([id]) => id.startsWith('Reader'))
      .map(([, { Properties }]) => JSON.stringify(filled(Properties.PolicyDocument)));
  // IAM quotas: white space does not count, and a role has one inline policy here and up to ten managed ones.
  const [inline, managed] = [policies('AWS::IAM::Policy'), policies('AWS::IAM::ManagedPolicy')];
  expect(inline.map(({ length }) => length)).toEqual([expect.any(Number)]);
  expect(inline.filter(({ length }) => length > 10_240)).toEqual([]);
  expect(managed.filter(({ length }) => length > 6_144)).toEqual([]);
  expect(managed.length).toBeGreaterThan(0);
  expect(managed.length).toBeLessThanOrEqual(10);
  for (const name of names) expect([...inline, ...managed].join()).toContain(`/${name}/gate`);
});

/** With references as long as what they become. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = Object(value);
  if (Ref !== undefined) return Ref === 'AWS::Partition' ? 'aws' : 'x'.repeat(14);
  if (attribute !== undefined) return `arn:aws:s3:::${'x'.repeat(63)}`;
  if (join !== undefined) return join[1].map(filled).join(join[0]);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each)]));
}

test('grants nothing for what cannot be the name of a connection', () => {
  const role = Role.fromRoleArn(integration, 'Somebody', 'arn:aws:iam::123456789012:role/x');

  expect(() => integration.grantRead(role, ['demo', 'Un*known'])).toThrow(
    'connections[1]: expected 1 to 63 small letters',
  );
});

test.each([
  'grantRead',
  'grantQuery',
  'grantHttpApi',
  'grantListFiles',
  'grantListChanges',
  'grantDecideChanges',
  'grantCancelExport',
  'grantOpenGate',
] as const)('%s takes no empty list of connections for all of them', (grant) => {
  const role = new Role(newStack(), 'Reader', {
    assumedBy: new ServicePrincipal('ecs.amazonaws.com'),
  });

  expect(() => integration[grant](role, [])).toThrow(
    'connections: expected a list of one or more names of connections, or nothing for all of them',
  );
  expect(role.node.children.map(({ node }) => node.id)).not.toContain('DefaultPolicy');
});

test('grantClient takes no empty list of connections for all of them', () => {
  const stack = newStack();
  const own = new Lambda(stack, 'Own', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = () => {}'),
  });

  expect(() => made({}, stack).grantClient(own, [])).toThrow(
    'connections: expected a list of one or more names of connections, or nothing for all of them',
  );
  expect(statementsOf(Template.fromStack(stack), /^Own/)).toEqual([]);
});

test('grants no call of an HTTP API that is left out', () => {
  const without = made({ httpApi: false });
  const role = Role.fromRoleArn(without, 'Somebody', 'arn:aws:iam::123456789012:role/x');

  expect(() => without.grantHttpApi(role)).toThrow('httpApi: it is false: there is none');
});

test.each([
  ['metricPages', 'Pages', 'Sum'],
  ['metricCustomers', 'Customers', 'Sum'],
  ['metricRequests', 'Requests', 'Sum'],
  ['metricThrottles', 'Throttles', 'Sum'],
  ['metricWaitSeconds', 'WaitSeconds', 'Sum'],
  ['metricSteps', 'Steps', 'Sum'],
  ['metricExportsCompleted', 'ExportsCompleted', 'Sum'],
  ['metricExportsHalted', 'ExportsHalted', 'Sum'],
  ['metricExportsCancelled', 'ExportsCancelled', 'Sum'],
  ['metricStalledExports', 'StalledExports', 'Maximum'],
  ['metricHaltedExports', 'HaltedExports', 'Maximum'],
  ['metricQueuedExports', 'QueuedExports', 'Maximum'],
  ['metricLongestQueued', 'LongestQueuedSeconds', 'Maximum'],
  ['metricNewestCompleteAge', 'NewestCompleteAgeSeconds', 'Maximum'],
  ['metricConnectionsNeverExported', 'ConnectionsNeverExported', 'Maximum'],
] as const)(
  '%s is the metric %s of the function that writes it',
  (method, metricName, statistic) => {
    const metric = integration[method]({ label: 'mine' });

    expect(metric).toMatchObject({
      namespace: 'CustomersFunctions',
      metricName,
      statistic,
      label: 'mine',
      dimensions: { FunctionName: expect.anything() },
    });
    expect(integration[method]({ period: Duration.hours(2) })?.period.toHours()).toBe(2);
  },
);

test.each([
  ['metricOrganizationChanges', 'OrganizationChanges'],
  ['metricWaitsTooLong', 'WaitsTooLong'],
] as const)('%s adds what each function writes that calls the API', (method, metricName) => {
  const sum = integration[method]({ label: 'mine' });

  expect(sum).toMatchObject({
    label: 'mine',
    expression: expect.stringMatching(`^SUM\\(\\[worker${metricName}, `),
  });
  expect(Object.values(sum.usingMetrics)).toEqual(
    expect.arrayContaining([expect.objectContaining({ metricName, statistic: 'Sum' })]),
  );
});

test('metricExportsFailed adds those that the sweep fails to those that fail in a step', () => {
  const failed = integration.metricExportsFailed({ label: 'mine' });

  expect(failed).toMatchObject({
    label: 'mine',
    expression: 'SUM([inStep, inSweep])',
  });
  const { inStep, inSweep } = failed.usingMetrics;
  const ofOne = { metricName: 'ExportsFailed', statistic: 'Sum' };
  expect([inStep, inSweep]).toEqual([
    expect.objectContaining(ofOne),
    expect.objectContaining(ofOne),
  ]);
  expect(Object(inStep).dimensions).not.toEqual(Object(inSweep).dimensions);
  const hourly = integration.metricExportsFailed({ period: Duration.hours(1) });
  expect(hourly.period.toHours()).toBe(1);
});

test.each([
  ['metricUnclearWrites', 'UnclearWrites'],
  ['metricStalledWrites', 'StalledWrites'],
  ['metricHaltedWrites', 'HaltedWrites'],
] as const)('%s is the level %s of the sweep, where there are operations', (method, metricName) => {
  const create = { name: 'create', method: 'POST', resource: 'customers' } as const;
  const connections = { demo: { operations: [{ ...create, acceptsIdempotencyKey: false }] } };
  const writing = made({ connectionTable: { ...connectionTable, connections } });

  const level = { metricName, statistic: 'Maximum', label: 'mine' };
  expect(writing[method]({ label: 'mine' })).toMatchObject(level);
  expect(integration[method]()).toBeUndefined();
});

test.each([
  ['metricChangesHeld', 'ChangesHeld', 'Maximum'],
  ['metricChangesWaiting', 'ChangesWaitingSeconds', 'Maximum'],
] as const)('%s is the metric %s, where exports are compared', (method, metricName, statistic) => {
  const metric = { metricName, statistic, label: 'mine' };
  expect(integration[method]({ label: 'mine' })).toMatchObject(metric);
  expect(made({ compareExports: false })[method]()).toBeUndefined();
});

test.each([
  ['metricRecordsAdded', 'RecordsAdded'],
  ['metricRecordsChanged', 'RecordsChanged'],
  ['metricRecordsRemoved', 'RecordsRemoved'],
] as const)(
  '%s adds those that a person released to those that were told at once',
  (method, metricName) => {
    const sum = integration[method]({ label: 'mine' });

    expect(sum).toMatchObject({
      label: 'mine',
      expression: `SUM([descriptions${metricName}, changes${metricName}, httpApi${metricName}])`,
    });
    const metric = expect.objectContaining({ metricName, statistic: 'Sum' });
    expect(Object.values(Object(sum).usingMetrics)).toEqual([metric, metric, metric]);
    expect(made({ compareExports: false })[method]()).toBeUndefined();
  },
);

test.each(['metricDeadLetters', 'metricUndelivered'] as const)('%s counts messages', (method) => {
  expect(integration[method]({ statistic: 'Average' })).toMatchObject({
    namespace: 'AWS/SQS',
    metricName: 'ApproximateNumberOfMessagesVisible',
    statistic: 'Average',
  });
});

test('there is no age of exports without a schedule that runs', () => {
  const schedule = ScheduleExpression.rate(Duration.days(1));
  const off = made({ schedules: { demo: { schedule, enabled: false } } });

  expect(off.metricNewestCompleteAge()).toBeUndefined();
  expect(off.metricConnectionsNeverExported()).toBeUndefined();
});

test('takes durations, schedules and resources of the same app', () => {
  const stack = newStack();
  const encryptionKey = new Key(stack, 'Key');
  const bucketKey = new Key(stack, 'BucketKey');
  const props = {
    schedules: {
      demo: {
        schedule: ScheduleExpression.cron({
          minute: '0',
          hour: '6',
          timeZone: TimeZone.EUROPE_BERLIN,
        }),
        flexibleWindow: Duration.minutes(30),
        start: new Date('2999-01-01T00:00:00Z'),
      },
    },
    bucket: new Bucket(stack, 'Bucket', {
      encryption: BucketEncryption.KMS,
      encryptionKey: bucketKey,
    }),
    encryptionKey,
    logRetention: RetentionDays.ONE_YEAR,
    alarms: { topic: new Topic(stack, 'Topic'), noCompleteExportAfter: Duration.days(2) },
    removalPolicy: RemovalPolicy.DESTROY,
  };
  made(props, stack);
  const template = Template.fromStack(stack);

  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'cron(0 6 * * ? *)',
    ScheduleExpressionTimezone: 'Europe/Berlin',
    FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 30 },
    StartDate: '2999-01-01T00:00:00.000Z',
  });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { Threshold: 2 * 24 * 3600 });
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
  const worker = statementsOf(template, /^Takes pages/).filter((each) =>
    JSON.stringify(each).includes('"kms:'),
  );
  const keysByService = worker.map((each) => [
    JSON.stringify(each).match(/"(\w+)\."/)?.[1],
    JSON.stringify(Object(each).Resource).match(/"(Key|BucketKey)[0-9A-F]{8}"/)?.[1],
  ]);
  expect(keysByService).toEqual([
    ['s3', 'BucketKey'],
    ['sqs', 'Key'],
    ['dynamodb', 'Key'],
    ['secretsmanager', 'Key'],
  ]);
});

test('lets CloudWatch Logs and EventBridge use a key of the same app, for what they keep', () => {
  const stack = newStack();
  made({ encryptionKey: new Key(stack, 'Key') }, stack);

  Template.fromStack(stack).hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Principal: {
            Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.amazonaws.com']] },
          },
          Condition: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': Match.anyValue() } },
        }),
        Match.objectLike({
          Principal: { Service: 'events.amazonaws.com' },
          Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    },
  });
});

const pk = { name: 'pk', type: AttributeType.STRING };
const sk = { name: 'sk', type: AttributeType.STRING };
const index = { indexName: 'active-exports', partitionKey: { ...pk, name: 'activeMark' } };

const history = {
  indexName: 'export-history',
  partitionKey: pk,
  sortKey: { ...sk, name: 'historyOrder' },
};
const openWrites = {
  indexName: 'open-writes',
  partitionKey: { name: 'openWrite', type: AttributeType.STRING },
  sortKey: { name: 'openWriteAtMs', type: AttributeType.NUMBER },
};

/** The keys of a table, and its indexes. */
interface Keys {
  readonly sortKey?: Attribute;
  readonly indexes: readonly (typeof index & {
    readonly sortKey?: Attribute;
    readonly projectionType?: ProjectionType;
  })[];
}

const TABLES: readonly (readonly [string, (stack: Stack, keys: Keys) => Table | TableV2])[] = [
  ['Table', (stack, keys) => withIndexes(new Table(stack, 'Table', propsOf(keys)), keys)],
  ['TableV2', (stack, keys) => withIndexes(new TableV2(stack, 'Table', propsOf(keys)), keys)],
];

function propsOf({ sortKey }: Keys) {
  return { partitionKey: pk, ...(sortKey === undefined ? {} : { sortKey }) };
}

function withIndexes<T extends Table | TableV2>(table: T, { indexes }: Keys): T {
  for (const each of indexes) table.addGlobalSecondaryIndex(each);
  return table;
}

test.each(TABLES)(
  'takes a %s of the app that has the keys and the indexes of the ledger',
  (_, make) => {
    const stack = newStack();
    const indexes = [{ ...index, sortKey: pk }, history, openWrites];
    const table = make(stack, { sortKey: sk, indexes });

    expect(made({ table }, stack).ledger.table).toBe(table);
  },
);

const WRONG: readonly (readonly [string, Keys, string])[] = [
  [
    'another key',
    { sortKey: { ...sk, name: 'sort' }, indexes: [] },
    'expected pk (S), sk (S) as its keys, got pk (S), sort (S)',
  ],
  ['no sort key', { indexes: [] }, 'expected pk (S), sk (S) as its keys, got pk (S)'],
  [
    'a key of another type',
    { sortKey: { ...sk, type: AttributeType.NUMBER }, indexes: [] },
    'expected pk (S), sk (S) as its keys, got pk (S), sk (N)',
  ],
  [
    'no index',
    { sortKey: sk, indexes: [] },
    'as the keys of its index active-exports, got no such index',
  ],
  [
    'another index',
    { sortKey: sk, indexes: [{ ...index, sortKey: sk }] },
    'expected activeMark (S), pk (S) as the keys of its index',
  ],
  [
    'no index of the history',
    { sortKey: sk, indexes: [{ ...index, sortKey: pk }] },
    'expected pk (S), historyOrder (S) as the keys of its index export-history, got no such index',
  ],
  [
    'an index of active exports that has keys alone',
    {
      sortKey: sk,
      indexes: [
        { ...index, sortKey: pk, projectionType: ProjectionType.KEYS_ONLY },
        history,
        openWrites,
      ],
    },
    'table: expected the projection ALL of its index active-exports, got KEYS_ONLY',
  ],
];

test.each(
  TABLES.flatMap(([type, make]) =>
    WRONG.map(([what, keys, problem]) => ({ type, make, what, keys, problem })),
  ),
)('refuses a $type of the app with $what', ({ make, keys, problem }) => {
  const stack = newStack();
  const table = make(stack, keys);

  expect(() => made({ table }, stack)).toThrow(problem);
});

test.each<[string, (stack: Stack) => Partial<CustomersIntegrationProps>, string]>([
  [
    'objects that expire in a bucket of your own',
    (stack) => ({
      bucket: Bucket.fromBucketName(stack, 'Own', 'own'),
      keepExports: Duration.days(9),
    }),
    'keepExports: a bucket of your own has lifecycle rules and versions of your own',
  ],
  [
    'versions in a bucket of your own',
    (stack) => ({ bucket: Bucket.fromBucketName(stack, 'Own', 'own'), keepDeleted: false }),
    'keepDeleted: a bucket of your own has lifecycle rules and versions of your own',
  ],
  [
    'protection of a table of your own',
    (stack) => ({ table: Table.fromTableName(stack, 'Own', 'own'), deletionProtection: true }),
    'deletionProtection: a table of your own has a protection of its own',
  ],
  [
    'a protected table that the stack is to delete',
    () => ({ deletionProtection: true, removalPolicy: RemovalPolicy.DESTROY }),
    'deletionProtection: with the removal policy destroy expected false or nothing',
  ],
  [
    'an id that events cannot carry',
    () => ({ integrationId: 'a b' }),
    'integrationId: expected 1 to 128 letters',
  ],
  [
    'a schedule of no connection',
    () => ({ schedules: { unknown: ScheduleExpression.rate(Duration.days(1)) } }),
    'schedules.unknown: there is no such connection',
  ],
  [
    'a schedule that is a time',
    () => ({ schedules: { demo: ScheduleExpression.at(new Date(0)) } }),
    'schedules.demo: expected rate(…) or cron(…)',
  ],
  [
    'half an hour',
    () => ({
      schedules: { demo: ScheduleExpression.rate(Duration.days(1)) },
      alarms: { noCompleteExportAfter: Duration.minutes(90) },
    }),
    'alarms.noCompleteExportAfter: expected a Duration of whole hours from 1 to 8784',
  ],
  [
    'a security group without a VPC',
    (stack) => ({
      securityGroups: [SecurityGroup.fromSecurityGroupId(stack, 'Sg', 'sg-12345678')],
    }),
    'securityGroups: it belongs to a VPC: set vpc too',
  ],
  [
    'no security group',
    (stack) => ({ vpc: new Vpc(stack, 'Vpc'), securityGroups: [] }),
    'securityGroups: expected one or more',
  ],
  [
    'a setting of a connection that is wrong',
    () => ({
      connectionTable: { ...connectionTable, connections: { demo: { perPage: 0 } } },
    }),
    'connections.demo.perPage: expected a whole number from 1 to 10000, got 0',
  ],
])('refuses %s, naming it', (_, propsIn, problem) => {
  const stack = newStack();

  expect(() => made(propsIn(stack), stack)).toThrow(problem);
});
