import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import fc from 'fast-check';
import type { GivenSettings } from '../../../../functions/services/connection-settings.ts';
import { CustomersIntegration } from '../../../../infra/constructs/customers-integration.ts';
import type { CustomersIntegrationProps } from '../../../../infra/constructs/integration-props.ts';
import { LATEST_EXPORT, pointersKey } from '../../../../lib/exports/table-pointers.ts';
import { INTEGRATION_ID } from '../../../../lib/names.ts';

const baseUrl = 'https://api.example.com';

interface Made {
  readonly template: Template;
  readonly integration: CustomersIntegration;
}

function made(
  props: Partial<CustomersIntegrationProps> = {},
  connections: Readonly<Record<string, GivenSettings>> = {},
  use: (stack: Stack, integration: CustomersIntegration) => void = () => {},
): Made {
  const stack = new Stack(new App({ context: { 'aws:cdk:disable-asset-staging': true } }), 'Stack');
  const integration = new CustomersIntegration(stack, 'Customers', {
    connectionTable: { defaults: { baseUrl }, connections },
    bucket: Bucket.fromBucketName(stack, 'Own', 'team-exports'),
    integrationId: 'team_north',
    ...props,
  });
  use(stack, integration);
  return {
    integration,
    // Made when it is asked for: most of the time is the synthesis.
    get template() {
      return Template.fromStack(stack);
    },
  };
}

/** The tables and views by name, as CloudFormation gives them to Glue. */
function tablesIn(template: Template) {
  const all = Object.values(template.findResources('AWS::Glue::Table'));
  return Object.fromEntries(
    all.map(({ Properties }) => [Properties.TableInput.Name, Properties.TableInput]),
  );
}

const definitionIn = (view: { ViewOriginalText: string }) => {
  const [, encoded = ''] = /^\/\* Presto View: (\S+) \*\/$/.exec(view.ViewOriginalText) ?? [];
  return JSON.parse(Buffer.from(encoded, 'base64').toString());
};

test('the table finds the pointers of any export, from what the query says', () => {
  const { exports } = tablesIn(made().template);
  const { Parameters, PartitionKeys, StorageDescriptor } = exports;
  const asked = new Map([
    ['connection', 'demo'],
    ['list', 'credit-notes'],
    ['export', LATEST_EXPORT],
  ]);
  const location = Parameters['storage.location.template'].replaceAll(
    /\$\{(\w+)\}/g,
    (_: string, partition: string) => asked.get(partition),
  );

  expect(`${location}parts.txt`).toBe(
    `s3://team-exports/${pointersKey('demo', 'credit-notes', LATEST_EXPORT)}`,
  );
  expect(location.startsWith(StorageDescriptor.Location)).toBe(true);
  expect(PartitionKeys).toEqual(
    ['connection', 'list', 'export'].map((Name) => ({ Name, Type: 'string' })),
  );
  for (const { Name } of PartitionKeys) {
    expect(Parameters[`projection.${Name}.type`]).toBe('injected');
  }
  expect(Parameters['projection.enabled']).toBe('true');
});

test('a row of the table is a line as it is, of the parts that a pointer names', () => {
  const { exports } = tablesIn(made().template);

  expect(exports.StorageDescriptor).toMatchObject({
    Columns: [{ Name: 'record', Type: 'string' }],
    InputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
    SerdeInfo: {
      SerializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
      Parameters: { 'serialization.format': '1' },
    },
  });
});

test('each list that any connection has gets a view of its newest export, and no other does', () => {
  const { template } = made(
    { connectionTable: { defaults: { baseUrl, lists: { 'credit-notes': {} } }, connections: {} } },
    {},
  );
  const own = made({}, { demo: { lists: { invoices: {}, customers: false } }, other: {} });
  const nobodys = made({
    connectionTable: { defaults: { baseUrl, lists: { customers: false, a: {} } }, connections: {} },
  });

  expect(Object.keys(tablesIn(template)).sort()).toEqual([
    'exports',
    'latest_credit_notes',
    'latest_customers',
  ]);
  expect(Object.keys(tablesIn(own.template)).sort()).toEqual([
    'exports',
    'latest_customers',
    'latest_invoices',
  ]);
  expect(Object.keys(tablesIn(nobodys.template)).sort()).toEqual(['exports', 'latest_a']);
  const view = tablesIn(template)['latest_credit_notes'];
  expect(view).toMatchObject({
    TableType: 'VIRTUAL_VIEW',
    Parameters: { presto_view: 'true' },
    // Athena cannot query a view without them.
    PartitionKeys: [],
    StorageDescriptor: { Columns: [{ Name: 'connection' }, { Name: 'record' }] },
  });
  expect(definitionIn(view)).toEqual({
    originalSql:
      "SELECT connection, record FROM exports WHERE list = 'credit-notes' AND export = 'latest'",
    catalog: 'awsdatacatalog',
    schema: 'team_north',
    columns: [
      { name: 'connection', type: 'varchar' },
      { name: 'record', type: 'varchar' },
    ],
  });
});

test('ids of integrations give names that Athena accepts, and different ones different names', () => {
  const nameOf = (integrationId: string) =>
    made({ integrationId }).integration.tables?.databaseName;

  expect(nameOf('team_north')).toBe('team_north');
  const alike = ['Team.North', 'team-north', 'team.north', 'TEAM_NORTH', 'team_north'].map(nameOf);
  expect(new Set(alike).size).toBe(alike.length);
  fc.assert(
    fc.property(fc.stringMatching(INTEGRATION_ID), (id) => {
      expect(nameOf(id)).toMatch(/^[a-z0-9_]{1,137}$/);
    }),
    { numRuns: 5 },
  );
});

test('nothing of Glue is made, and no grant of it is possible, without tables', () => {
  const { template, integration } = made({ tables: false });
  const stack = Stack.of(integration);
  const role = new Role(stack, 'Reader', { assumedBy: new ServicePrincipal('glue.amazonaws.com') });

  template.resourceCountIs('AWS::Glue::Database', 0);
  template.resourceCountIs('AWS::Glue::Table', 0);
  expect(() => integration.grantQuery(role)).toThrow('tables: it is false');
});

test.each([
  ['all connections', undefined, ['exports/*', 'tables/*']],
  ['one connection', ['demo'], ['exports/connection=demo/*', 'tables/connection=demo/*']],
])(
  'who queries %s reads its tables, pointers and parts, and nothing else',
  (_, named, prefixes) => {
    const { template } = made({}, { demo: {} }, (stack, integration) =>
      integration.grantQuery(
        new Role(stack, 'Analyst', { assumedBy: new ServicePrincipal('glue.amazonaws.com') }),
        named,
      ),
    );
    const [policy] = Object.values(template.findResources('AWS::IAM::Policy')).filter(
      ({ Properties }) => Properties.Roles[0].Ref.startsWith('Analyst'),
    );
    const glue = (end: string) => ({
      'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(end)])],
    });
    const bucket = (end: string) => ({
      'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:s3:::team-exports${end}`]],
    });

    expect(policy?.['Properties'].PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'glue:GetDatabase',
        Resource: [glue(':catalog$'), glue(':database/default$'), glue(':database/team_north$')],
      },
      {
        Effect: 'Allow',
        Action: ['glue:GetTable', 'glue:GetTables', 'glue:GetPartitions'],
        Resource: [
          glue(':catalog$'),
          glue(':database/team_north$'),
          glue(':table/team_north/\\*$'),
        ],
      },
      {
        Effect: 'Allow',
        Action: 's3:GetObject',
        Resource: prefixes.map((prefix) => bucket(`/${prefix}`)),
      },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: bucket(''),
        Condition: { StringLike: { 's3:prefix': prefixes } },
      },
      { Effect: 'Allow', Action: 's3:GetBucketLocation', Resource: bucket('') },
    ]);
  },
);
