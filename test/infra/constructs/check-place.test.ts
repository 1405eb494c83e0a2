import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { checkPlace } from '../../../infra/constructs/check-place.ts';
import type { CustomersIntegrationProps } from '../../../infra/constructs/integration-props.ts';
import { defined } from '../../../lib/defined.ts';

type Place = `${string}:${string}`;
type Props = Omit<CustomersIntegrationProps, 'connectionTable'>;

const HOME = { account: '111111111111', region: 'eu-central-1' };
const KEY = 'key/11111111-2222-3333-4444-555555555555';

/** By the prop that the error names: each resource as it is imported, and made by another stack of the app. */
const BROUGHT: Readonly<Record<string, (stack: Stack, place: Place) => readonly Props[]>> = {
  bucket: (stack, place) => {
    const [region = '', account = ''] = place.split(':');
    const attributes = { bucketName: 'team', region, account };
    return [{ bucket: Bucket.fromBucketAttributes(stack, 'Bucket', attributes) }];
  },
  table: (stack, place) => {
    const arn = `arn:aws:dynamodb:${place}:table/team`;
    return [Table, TableV2].map((kind) => ({ table: kind.fromTableArn(stack, kind.name, arn) }));
  },
  eventBus: (stack, place) => [
    {
      eventBus: EventBus.fromEventBusArn(stack, 'Bus', `arn:aws:events:${place}:event-bus/default`),
    },
  ],
  encryptionKey: (stack, place) => [
    { encryptionKey: Key.fromKeyArn(stack, 'Key', `arn:aws:kms:${place}:${KEY}`) },
  ],
  vpc: (stack, place) => {
    const [region = ''] = place.split(':');
    const attributes = { vpcId: 'vpc-1', availabilityZones: ['a'] };
    return [
      { vpc: Vpc.fromVpcAttributes(stack, 'Vpc', { ...attributes, region }) },
      { vpc: Vpc.fromVpcAttributes(stackOf(stack, place), 'Vpc', attributes) },
    ];
  },
  vpcSubnets: (stack, place) => {
    const near = Subnet.fromSubnetId(stack, 'Near', 'subnet-1');
    const subnet = Subnet.fromSubnetId(stackOf(stack, place), 'Subnet', 'subnet-2');
    return [{ vpcSubnets: { subnets: [near, subnet] } }];
  },
  securityGroups: (stack, place) => {
    const near = SecurityGroup.fromSecurityGroupId(stack, 'Near', 'sg-1');
    const group = SecurityGroup.fromSecurityGroupId(stackOf(stack, place), 'Group', 'sg-2');
    return [{ securityGroups: [near, group] }];
  },
  'alarms.topic': (stack, place) => [
    { alarms: { topic: Topic.fromTopicArn(stack, 'Topic', `arn:aws:sns:${place}:on-call`) } },
  ],
};

/** Another stack of the app, at the place. */
function stackOf(stack: Stack, place: Place): Stack {
  const [region, account] = place.split(':');
  return new Stack(stack, 'AtThePlace', { env: { ...defined({ region, account }) } });
}

function checking(prop: string, place: Place, env: Partial<typeof HOME> = HOME) {
  const stack = new Stack(new App(), 'Shop', { env });
  const connectionTable = { defaults: {}, connections: {} };
  const given = BROUGHT[prop]?.(stack, place) ?? [];
  return given.map((props) => () => checkPlace(stack, { connectionTable, ...props }));
}

test.each(Object.keys(BROUGHT))('refuses another region for %s', (prop) => {
  for (const check of checking(prop, 'us-east-1:111111111111')) {
    expect(check).toThrow(
      `${prop}: expected one in the region of the stack, eu-central-1, got us-east-1`,
    );
  }
});

test.each(['table', 'eventBus'])(
  'refuses another account for %s, which is known by name',
  (prop) => {
    for (const check of checking(prop, 'eu-central-1:222222222222')) {
      expect(check).toThrow(
        `${prop}: expected one in the account of the stack, 111111111111, got 222222222222`,
      );
    }
  },
);

test.each(Object.keys(BROUGHT))(
  'takes the place of the stack, and any where that is unknown: %s',
  (prop) => {
    for (const check of [
      ...checking(prop, 'eu-central-1:111111111111'),
      ...checking(prop, 'us-east-1:222222222222', {}),
    ]) {
      expect(check).not.toThrow();
    }
  },
);

test.each(Object.keys(BROUGHT).filter((prop) => prop !== 'table' && prop !== 'eventBus'))(
  'takes %s of another account, which may allow its use here',
  (prop) => {
    for (const check of checking(prop, 'eu-central-1:222222222222')) expect(check).not.toThrow();
  },
);

test('refuses a bucket that a stack of another region makes, and takes one that is known by its name', () => {
  const app = new App();
  const stack = new Stack(app, 'Shop', { env: HOME, crossRegionReferences: true });
  const env = { ...HOME, region: 'us-east-1' };
  const bucket = new Bucket(new Stack(app, 'Far', { env, crossRegionReferences: true }), 'Bucket');
  const connectionTable = { defaults: {}, connections: {} };
  const named = Bucket.fromBucketName(stack, 'Named', 'team');

  expect(() => checkPlace(stack, { connectionTable, bucket })).toThrow('bucket: expected one in');
  expect(() => checkPlace(stack, { connectionTable, bucket: named })).not.toThrow();
});

// The others know no place but that of the stack that imports them, or one that is given.
test.each(['table', 'eventBus', 'encryptionKey', 'vpc', 'alarms.topic'])(
  'takes %s of the place of the stack that a stack of another place imported',
  (prop) => {
    const app = new App();
    const stack = new Stack(app, 'Shop', { env: HOME });
    const far = new Stack(app, 'Far', { env: { account: '222222222222', region: 'us-east-1' } });
    const connectionTable = { defaults: {}, connections: {} };

    for (const props of BROUGHT[prop]?.(far, 'eu-central-1:111111111111') ?? []) {
      expect(() => checkPlace(stack, { connectionTable, ...props })).not.toThrow();
    }
  },
);
