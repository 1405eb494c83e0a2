import { beforeAll, expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Subnet, type SubnetSelection, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CustomersIntegration } from '../../infra/constructs/customers-integration.ts';
import { customersSettingsOf } from '../../infra/settings/customers-settings.ts';
import { integrationPropsOf } from '../../infra/settings/integration-props.ts';
import { statementsOf, statementsOfRole } from './role-statements.ts';
import { synthesizedStack } from './synthesized-stack.ts';

const KEY_ARN = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555';
const base = {
  baseUrl: 'https://api.example.com',
  connections: { demo: { schedule: 'rate(1 day)' } },
};
const FUNCTIONS = [/^Takes pages/, /^Starts an/, /^Wakes/, /^Serves the HTTP/, /^Tells how old/];

let template: Template;
beforeAll(() => {
  template = synthesizedStack({
    ...base,
    bucket: 'arn:aws:s3:::team-exports',
    table: 'team-ledger',
    eventBus: 'arn:aws:events:eu-central-1:123456789012:event-bus/team',
    encryptionKey: KEY_ARN,
    logRetentionDays: 400,
    keyPatterns: ['cust_[A-Za-z0-9]{32}'],
    removalPolicy: 'destroy',
    vpc: {
      vpcId: 'vpc-0123456789abcdef0',
      subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
      securityGroupIds: ['sg-0123456789abcdef0'],
    },
  });
});

test('makes no bucket, no table and no bus beside those that are brought', () => {
  template.resourceCountIs('AWS::S3::Bucket', 0);
  template.resourceCountIs('AWS::S3::BucketPolicy', 0);
  template.resourceCountIs('AWS::DynamoDB::Table', 0);
  template.resourceCountIs('AWS::Events::EventBus', 0);
});

test('tells functions the names of what is brought, and outputs them', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: {
      Variables: Match.objectLike({
        EXPORT_BUCKET: 'team-exports',
        LEDGER_TABLE: 'team-ledger',
        EVENT_BUS: 'team',
      }),
    },
  });
  template.hasOutput('ExportBucketName', { Value: 'team-exports' });
  template.hasOutput('LedgerTableName', { Value: 'team-ledger' });
});

test('allows the worker objects under exports/ of that bucket, and that table', () => {
  const statements = JSON.stringify(statementsOf(template, /^Takes pages/));

  expect(statements).toContain(':s3:::team-exports/exports/*"');
  expect(statements).toContain(':table/team-ledger"');
  expect(statements).toContain(':event-bus/team"');
});

test('encrypts queues and logs with the key', () => {
  template.allResourcesProperties('AWS::SQS::Queue', {
    KmsMasterKeyId: KEY_ARN,
    SqsManagedSseEnabled: Match.absent(),
  });
  template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY_ARN });
});

test('encrypts a bucket and a table that it makes with the key, and no access log', () => {
  const made = synthesizedStack({ ...base, encryptionKey: KEY_ARN });
  const algorithm = (SSEAlgorithm: string) => ({
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        Match.objectLike({ ServerSideEncryptionByDefault: Match.objectLike({ SSEAlgorithm }) }),
      ],
    },
  });

  made.resourcePropertiesCountIs('AWS::S3::Bucket', algorithm('aws:kms'), 1);
  made.resourcePropertiesCountIs('AWS::S3::Bucket', algorithm('AES256'), 1);
  made.hasResourceProperties('AWS::DynamoDB::Table', {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY_ARN },
  });
});

/** By service, the actions on the key that statements allow through it. */
function keyUse(statements: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    statements
      .map((each) => Object(each))
      .filter(({ Resource }) => Resource === KEY_ARN)
      .map(({ Action, Condition }) => [
        Condition.StringEquals['kms:ViaService']['Fn::Join'][1].join('').split('.')[0],
        Action,
      ]),
  );
}

const OF_TABLE = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];
const DATA_KEYS = ['kms:Decrypt', 'kms:GenerateDataKey'];

test.each<[string, RegExp, Record<string, unknown>]>([
  [
    'worker',
    /^Takes pages/,
    { s3: DATA_KEYS, sqs: DATA_KEYS, dynamodb: OF_TABLE, secretsmanager: 'kms:Decrypt' },
  ],
  [
    'HTTP API',
    /^Serves the HTTP/,
    { sqs: DATA_KEYS, dynamodb: OF_TABLE, secretsmanager: 'kms:Decrypt' },
  ],
  ['measuring function', /^Tells how old/, { s3: DATA_KEYS, sqs: DATA_KEYS }],
])('the %s may use the key through the services that it calls, and no other', (_, who, use) => {
  expect(keyUse(statementsOf(template, who))).toEqual(use);
});

test('schedules may use the key through SQS alone, for what could not be delivered', () => {
  const [[roleId = ''] = []] = Object.entries(template.findResources('AWS::IAM::Role')).filter(
    ([, role]) => JSON.stringify(role).includes('scheduler.amazonaws.com'),
  );

  expect(keyUse(statementsOfRole(template, roleId))).toEqual({ sqs: DATA_KEYS });
});

const connectionTable = { defaults: { baseUrl: base.baseUrl }, connections: {} };

/** A bucket and a table of the app's, each with this key. */
function importedWith(stack: Stack, encryptionKey: IKey, bucketArn: string) {
  const tableName = 'team-ledger';
  return {
    bucket: Bucket.fromBucketAttributes(stack, 'Bucket', { bucketArn, encryptionKey }),
    table: TableV2.fromTableAttributes(stack, 'Table', { tableName, encryptionKey }),
  };
}

test('an alias is refused in place of a key, which bucket and table may bring too', () => {
  const stack = new Stack(new App(), 'Mine');
  const encryptionKey = new Alias(stack, 'Alias', {
    aliasName: 'alias/team',
    targetKey: new Key(stack, 'Key'),
  });
  const imported = Alias.fromAliasName(stack, 'Imported', 'alias/other');
  const { bucket, table } = importedWith(stack, encryptionKey, 'arn:aws:s3:::team-exports');

  for (const [place, given] of [
    ['encryptionKey', { encryptionKey }],
    ['encryptionKey', { encryptionKey: imported }],
    ['bucket.encryptionKey', { bucket }],
    ['table.encryptionKey', { table }],
  ] as const) {
    const make = () =>
      new CustomersIntegration(new Stack(new App(), 'Shop'), 'Customers', {
        connectionTable,
        ...given,
      });
    expect(make).toThrow(`${place}: expected a key`);
  }
});

test('a key of yours is refused in China, where no role could use it, whichever resource brings it', () => {
  const stack = new Stack(new App(), 'Shop', { env: { region: 'cn-north-1' } });
  const encryptionKey = new Key(stack, 'Key');
  const { bucket, table } = importedWith(stack, encryptionKey, 'arn:aws-cn:s3:::team-exports');

  for (const [place, given] of [
    ['encryptionKey', { encryptionKey }],
    ['bucket.encryptionKey', { bucket }],
    ['table.encryptionKey', { table }],
  ] as const) {
    expect(() => new CustomersIntegration(stack, place, { connectionTable, ...given })).toThrow(
      `${place}: expected none in the region cn-north-1`,
    );
  }
});

test('settings of a second integration in the same scope are refused by a reason', () => {
  const stack = new Stack(new App(), 'Mine');
  const settings = customersSettingsOf(base);
  integrationPropsOf(stack, settings);

  expect(() => integrationPropsOf(stack, settings)).toThrow(
    'scope: expected one of its own for each integration',
  );
});

test('without a key of your own nobody has a right to any', () => {
  expect(JSON.stringify(synthesizedStack(base).toJSON())).not.toContain('kms:');
});

test('keeps logs for as long as asked, and masks what looks like your keys in all of them', () => {
  template.allResourcesProperties('AWS::Logs::LogGroup', {
    RetentionInDays: 400,
    DataProtectionPolicy: Match.objectLike({
      Configuration: {
        CustomDataIdentifier: Match.arrayWith([
          { Name: 'ApiKey-1', Regex: 'cust_[A-Za-z0-9]{32}' },
        ]),
      },
    }),
  });
});

test('masks nothing when told so', () => {
  synthesizedStack({ ...base, keyPatterns: false }).allResourcesProperties('AWS::Logs::LogGroup', {
    DataProtectionPolicy: Match.absent(),
  });
});

test('runs every function in the VPC', () => {
  template.allResourcesProperties('AWS::Lambda::Function', {
    VpcConfig: {
      SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
      SecurityGroupIds: ['sg-0123456789abcdef0'],
    },
  });
  template.resourceCountIs('AWS::EC2::SecurityGroup', 0);
});

test('makes one security group for all functions, which lets nothing in, when none is brought', () => {
  const vpc = { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0'] };
  const made = synthesizedStack({ ...base, vpc });

  made.resourceCountIs('AWS::EC2::SecurityGroup', 1);
  made.allResourcesProperties('AWS::EC2::SecurityGroup', {
    VpcId: vpc.vpcId,
    SecurityGroupIngress: Match.absent(),
  });
});

const SUBNETS = ['subnet-1', 'subnet-2'];

test.each<[string, object, boolean, number]>([
  ['without private subnets', { isolatedSubnetIds: SUBNETS }, false, 1],
  ['whose subnets are named', { isolatedSubnetIds: SUBNETS }, true, 0],
  ['with private subnets', { privateSubnetIds: SUBNETS }, false, 0],
])('warns of a VPC %s', (_, subnets, namesSubnets, warnings) => {
  const stack = new Stack(new App(), 'Mine');
  const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-1',
    availabilityZones: ['us-east-1a', 'us-east-1b'],
    ...subnets,
  });
  const network: object = {
    vpc,
    ...(namesSubnets && { vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED } }),
  };
  new CustomersIntegration(stack, 'Customers', {
    connectionTable,
    ...network,
  });

  const told = stack.node.findAll().flatMap(({ node }) => node.metadata);
  expect(told.filter(({ data }) => /^vpc: .* vpcSubnets/.test(String(data)))).toHaveLength(
    warnings,
  );
});

const PUBLIC = /^%: expected private subnets with a NAT gateway, got public ones, .*leave vpc out/;

test.each<[string, object, SubnetSelection | undefined, RegExp]>([
  ['of public subnets alone', { publicSubnetIds: SUBNETS }, undefined, PUBLIC],
  ['without subnets', {}, undefined, /^%: expected private subnets .*, got no subnets: /],
  [
    'whose public subnets are chosen',
    { publicSubnetIds: SUBNETS, privateSubnetIds: ['subnet-3', 'subnet-4'] },
    { subnetType: SubnetType.PUBLIC },
    PUBLIC,
  ],
  [
    'without the subnets that are chosen',
    { privateSubnetIds: SUBNETS },
    { subnetType: SubnetType.PRIVATE_ISOLATED },
    /^%: expected a selection of subnets of vpc: There are no 'Isolated' subnet groups/,
  ],
  [
    'of which none is chosen',
    { privateSubnetIds: SUBNETS },
    { subnets: [] },
    /^%: expected one or more subnets of vpc$/,
  ],
])('refuses a VPC %s, by the name of the prop', (_, subnets, vpcSubnets, said) => {
  const stack = new Stack(new App(), 'Mine');
  const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-1',
    availabilityZones: ['us-east-1a', 'us-east-1b'],
    ...subnets,
  });
  const place = vpcSubnets === undefined ? 'vpc' : 'vpcSubnets';
  const make = () =>
    new CustomersIntegration(stack, 'Customers', { connectionTable, vpc, vpcSubnets });

  expect(make).toThrow(new RegExp(said.source.replace('%', place)));
});

test('refuses a public subnet also where it is named by its id, and takes a VPC that is still looked up', () => {
  const stack = new Stack(new App(), 'Mine', {
    env: { account: '123456789012', region: 'us-east-1' },
  });
  const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
    ...{ vpcId: 'vpc-1', availabilityZones: ['us-east-1a'], publicSubnetIds: ['subnet-1'] },
  });
  const vpcSubnets = { subnets: [Subnet.fromSubnetId(stack, 'Subnet', 'subnet-1')] };
  expect(
    () => new CustomersIntegration(stack, 'Customers', { connectionTable, vpc, vpcSubnets }),
  ).toThrow(/^vpcSubnets: expected private subnets/);

  const found = Vpc.fromLookup(stack, 'Found', { isDefault: true });
  new CustomersIntegration(stack, 'Later', { connectionTable, vpc: found });
});

test.each(FUNCTIONS)('lets Lambda make network interfaces, and not the code of %s', (who) => {
  const Action = [
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ];
  const network = statementsOf(template, who).filter((each) =>
    JSON.stringify(each).includes('"ec2:'),
  );

  expect(network).toEqual([
    { Effect: 'Allow', Action, Resource: '*' },
    {
      Effect: 'Deny',
      Action,
      Resource: '*',
      Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    },
  ]);
});

test.each([
  // A rollback could not delete a protected table, and would fail.
  [{}, 'RetainExceptOnCreate', 'Retain', true],
  [{ removalPolicy: 'retain' }, 'RetainExceptOnCreate', 'Retain', true],
  [{ deletionProtection: false }, 'RetainExceptOnCreate', 'RetainExceptOnCreate', false],
  // CloudFormation could not delete a protected table.
  [{ removalPolicy: 'destroy' }, 'Delete', 'Delete', false],
])(
  'with %j buckets and logs have the deletion policy %s, and the table %s',
  (settings, policy, ofTable, isProtected) => {
    const made = synthesizedStack({ ...base, ...settings });
    const UpdateReplacePolicy = policy === 'Delete' ? 'Delete' : 'Retain';
    for (const type of ['AWS::S3::Bucket', 'AWS::Logs::LogGroup']) {
      made.allResources(type, { DeletionPolicy: policy, UpdateReplacePolicy });
    }
    made.allResources('AWS::DynamoDB::Table', { DeletionPolicy: ofTable, UpdateReplacePolicy });
    made.allResourcesProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: isProtected });
  },
);
