import { expect, test } from '@jest/globals';
import { App, CfnResource, RemovalPolicies, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';
import type { CustomersIntegrationProps } from '../../../infra/constructs/integration-props.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const connectionTable = {
  defaults: { baseUrl: 'https://api.example.com' },
  connections: { demo: {} },
};
const settings = { baseUrl: 'https://api.example.com', connections: { demo: {} } };

function newStack(): Stack {
  return new Stack(new App({ context: { 'aws:cdk:disable-asset-staging': true } }), 'Stack');
}

function outputsOf(stack: Stack): Record<string, unknown> {
  const outputs = Template.fromStack(stack).findOutputs('*');
  return Object.fromEntries(Object.entries(outputs).map(([name, { Value }]) => [name, Value]));
}

const make = (scope: Construct, id: string, props: Partial<CustomersIntegrationProps> = {}) =>
  new CustomersIntegration(scope, id, { connectionTable, ...props });

test('a construct has the outputs of the stack, and each name begins with its id', () => {
  const stack = newStack();
  make(stack, 'Customers');
  make(new Construct(stack, 'Team-A'), 'Other_1');
  const names = Object.keys(outputsOf(stack));

  const ofStack = Object.keys(synthesizedStack(settings).findOutputs('*'));
  expect(ofStack.length).toBeGreaterThan(10);
  expect(names).toEqual([
    ...ofStack.map((name) => `Customers${name}`),
    ...ofStack.map((name) => `TeamAOther1${name}`),
  ]);
});

test('outputs say where the parts of their own integration are', () => {
  const stack = newStack();
  const { integrationId } = make(stack, 'One');
  make(stack, 'Two', { integrationId: 'second', outputs: { prefix: '' } });

  expect(outputsOf(stack)).toMatchObject({
    OneIntegrationId: integrationId,
    OneExportBucketName: { Ref: expect.stringMatching(/^OneStoreBucket/) },
    IntegrationId: 'second',
    ExportBucketName: { Ref: expect.stringMatching(/^TwoStoreBucket/) },
  });
});

test('outputs name what stays when the integration is deleted, and nothing else of the stack', () => {
  const kept = (props: Partial<CustomersIntegrationProps>) => {
    const stack = newStack();
    new Bucket(stack, 'OfTheApp');
    make(stack, 'Other');
    make(stack, 'Customers', { outputs: { prefix: '' }, ...props });
    const { KeptBucketNames, KeptTableNames, KeptLogGroupNames } = outputsOf(stack);
    return JSON.stringify({ KeptBucketNames, KeptTableNames, KeptLogGroupNames });
  };
  const bucket = Bucket.fromBucketName(newStack(), 'Bucket', 'team-exports');

  const own = kept({});
  expect(own.match(/Customers(?:StoreBucket|StoreAccessLog|LedgerTable)/g)).toHaveLength(3);
  expect(own.match(/Customers\w*Log[0-9A-F]{8}"/g)?.length).toBeGreaterThan(8);
  expect(own).not.toMatch(/OfTheApp|"Other/);
  expect(kept({ bucket })).not.toMatch(/Bucket"|team-exports/);
  expect(kept({ removalPolicy: RemovalPolicy.DESTROY })).toBe('{}');
});

/** As an app asks for them in place of `removalPolicy`: one aspect for all, or each resource by itself. */
const OTHER_POLICIES: Readonly<Record<string, (integration: CustomersIntegration) => void>> = {
  'an aspect of the app': ({ node }) => RemovalPolicies.of(node.root).destroy(),
  'each resource': ({ node }) => {
    for (const each of node.findAll()) {
      if (CfnResource.isCfnResource(each)) each.applyRemovalPolicy(RemovalPolicy.DESTROY);
    }
  },
};

test.each(Object.entries(OTHER_POLICIES))(
  'where %s lets all be deleted after the construct was made, nothing is said to stay, and the table is not protected',
  (_what, letGo) => {
    const stack = newStack();
    letGo(make(stack, 'Customers'));

    const template = Template.fromStack(stack);
    template.allResourcesProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
    expect(Object.keys(outputsOf(stack)).filter((name) => name.includes('Kept'))).toEqual([]);
  },
);

test('where an aspect of the app keeps what was to be deleted, the outputs name it, and the table is protected', () => {
  const stack = newStack();
  make(stack, 'Customers', { removalPolicy: RemovalPolicy.DESTROY });
  RemovalPolicies.of(stack).retain();

  const template = Template.fromStack(stack);
  template.allResourcesProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
  expect(JSON.stringify(outputsOf(stack))).toMatch(/"CustomersKeptTableNames".*LedgerTable/);
});

test('two integrations of a stack do not have outputs of the same names', () => {
  const stack = newStack();
  make(stack, 'One', { outputs: { prefix: 'Api' } });
  const ofOther = { integrationId: 'second', outputs: { prefix: 'Api' } };

  expect(() => make(stack, 'Two', ofOther)).toThrow(
    'outputs.prefix: expected one of its own, since outputs of a stack have one name each: "Api" is that of Stack/One',
  );
  expect(() => make(newStack(), 'Two', ofOther)).not.toThrow();
});

test('there are none where they are turned off', () => {
  const stack = newStack();
  make(stack, 'Customers', { outputs: false });

  expect(outputsOf(stack)).toEqual({});
  expect(synthesizedStack({ ...settings, outputs: false }).findOutputs('*')).toEqual({});
});

test('a prefix that cannot begin a name is refused', () => {
  const prefix = 'team-a';
  expect(() => make(newStack(), 'Customers', { outputs: { prefix } })).toThrow(
    'outputs.prefix: expected letters and digits',
  );
});
