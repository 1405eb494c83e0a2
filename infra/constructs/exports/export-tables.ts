import { posix } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  EXPORTS_TABLE,
  LATEST_EXPORT,
  latestView,
  pointersKey,
} from '../../../lib/exports/table-pointers.ts';
import { WildcardStatement } from '../foundation/acknowledge.ts';
import { distinctName } from '../foundation/distinct-name.ts';

/** Partitions of the table, from the outside in. */
const PARTITIONS = ['connection', 'list', 'export'] as const;

const RECORD: CfnTable.ColumnProperty = {
  name: 'record',
  type: 'string',
  comment: 'One record: its JSON text, exactly as the API sent it',
};

interface ExportTablesProps {
  readonly integrationId: string;
  readonly bucketName: string;
  /** Names of all lists that any connection has; each gets a view. */
  readonly lists: readonly string[];
}

/**
 * The database for Athena: one table over all exports, and a view of the newest completed export of each list. Nothing
 * in it changes at run time: partitions are projected from each query, and objects in the bucket say which parts they
 * have. It is deleted with the stack, since it holds no data.
 */
export class ExportTables extends Construct {
  readonly databaseName: string;

  constructor(
    scope: Construct,
    id: string,
    { integrationId, bucketName, lists }: ExportTablesProps,
  ) {
    super(scope, id);
    this.databaseName = databaseNameOf(integrationId);
    const { account: catalogId } = Stack.of(this);
    const { databaseName } = this;
    const database = new CfnDatabase(this, 'Database', {
      catalogId,
      databaseInput: { name: databaseName, description: `Exports of ${integrationId}` },
    });
    const views = lists.map((list) => [`Latest-${list}`, viewOf(list, databaseName)] as const);
    const inputs = { Exports: tableOf(bucketName), ...Object.fromEntries(views) };
    for (const [name, tableInput] of Object.entries(inputs)) {
      const table = new CfnTable(this, name, { catalogId, databaseName, tableInput });
      table.node.addDependency(database);
    }
  }

  /**
   * Allows what Athena asks of the catalog for a query ("Configure access to databases and tables in the AWS Glue Data
   * Catalog"): a policy names the tables, the database, the catalog around it and the database `default`.
   */
  allowRead(): readonly PolicyStatement[] {
    const { databaseName } = this;
    const arnOf = (resource: string, resourceName?: string) =>
      Stack.of(this).formatArn({
        service: 'glue',
        resource,
        ...(resourceName === undefined ? {} : { resourceName }),
      });
    const catalog = arnOf('catalog');
    const database = arnOf('database', databaseName);
    return [
      new PolicyStatement({
        actions: ['glue:GetDatabase'],
        resources: [catalog, arnOf('database', 'default'), database],
      }),
      new WildcardStatement(
        {
          actions: ['glue:GetTable', 'glue:GetTables', 'glue:GetPartitions'],
          resources: [catalog, database, arnOf('table', `${databaseName}/*`)],
        },
        'Views that somebody adds to this database later can be queried too.',
      ),
    ];
  }
}

/** Small letters, digits and underscores are what Athena accepts ("Name databases, tables, and columns"). */
const NOT_IN_A_NAME = /[^a-z0-9_]/g;

/** At most 128 + 9 of the 255 characters that Glue allows. */
function databaseNameOf(integrationId: string): string {
  const name = integrationId.toLowerCase().replace(NOT_IN_A_NAME, '_');
  return distinctName(integrationId, name, '_');
}

function tableOf(bucketName: string): CfnTable.TableInputProperty {
  const value = (partition: (typeof PARTITIONS)[number]) => `\${${partition}}`;
  const template = posix.dirname(pointersKey(value('connection'), value('list'), value('export')));
  const [root] = template.split('/');
  return {
    name: EXPORTS_TABLE,
    description:
      'All completed exports. A query names connection, list and export, each by = or IN',
    tableType: 'EXTERNAL_TABLE',
    partitionKeys: PARTITIONS.map((name) => ({ name, type: 'string' })),
    parameters: {
      EXTERNAL: 'TRUE',
      // Connections come and go with their secrets, and exports all the time: an enumeration would leave out silently
      // what it does not know. Athena refuses a query without a value for an injected one.
      'projection.enabled': 'true',
      ...Object.fromEntries(PARTITIONS.map((name) => [`projection.${name}.type`, 'injected'])),
      'storage.location.template': `s3://${bucketName}/${template}/`,
    },
    storageDescriptor: {
      columns: [RECORD],
      location: `s3://${bucketName}/${root}/`,
      // As for S3 Inventory ("Querying Amazon S3 Inventory with Amazon Athena").
      inputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.IgnoreKeyTextOutputFormat',
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
        // Columns end with U+0001, which JSON text cannot hold (RFC 8259 section 7), so a line is one column as it
        // is. No quotes and no escapes either, and a line is never `\N`, which would be null.
        parameters: { 'serialization.format': '1' },
      },
    },
  };
}

/** A view as Athena stores it in the catalog: `CREATE VIEW` makes the same, but CloudFormation has no type for it. */
function viewOf(list: string, databaseName: string): CfnTable.TableInputProperty {
  const definition = {
    originalSql: `SELECT connection, record FROM ${EXPORTS_TABLE} WHERE list = '${list}' AND export = '${LATEST_EXPORT}'`,
    catalog: 'awsdatacatalog',
    schema: databaseName,
    columns: [
      { name: 'connection', type: 'varchar' },
      { name: RECORD.name, type: 'varchar' },
    ],
  };
  const encoded = Buffer.from(JSON.stringify(definition)).toString('base64');
  return {
    name: latestView(list),
    description: `The newest completed export of ${list}. A query names the connection, by = or IN`,
    tableType: 'VIRTUAL_VIEW',
    // Athena cannot query a view where this is not set (API reference of Glue, TableInput).
    partitionKeys: [],
    parameters: { presto_view: 'true', comment: 'Presto View' },
    viewOriginalText: `/* Presto View: ${encoded} */`,
    viewExpandedText: '/* Presto View */',
    storageDescriptor: {
      columns: [{ name: 'connection', type: 'string' }, RECORD],
      // Nothing reads by it, but Athena refuses a view without one ("Table storage descriptor is missing SerDe info").
      serdeInfo: { name: '-', serializationLibrary: '-' },
    },
  };
}
