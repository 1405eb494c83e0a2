import { CfnDeletionPolicy, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  CfnTable,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
  type TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct, type IConstruct } from 'constructs';
import {
  ACTIVE_EXPORTS_INDEX,
  EXPORT_HISTORY_INDEX,
  LEDGER_ATTRIBUTES,
  OPEN_WRITES_INDEX,
} from '../../../functions/aws/ledger/ledger-item.ts';
import { SettingError } from '../../../lib/errors.ts';
import { checkTableKeys } from './check-table-keys.ts';
import { foundationOf } from './foundation.ts';

const PARTITION_KEY = { name: LEDGER_ATTRIBUTES.partitionKey, type: AttributeType.STRING };
const SORT_KEY = { name: LEDGER_ATTRIBUTES.sortKey, type: AttributeType.STRING };
const INDEX_KEY = { name: LEDGER_ATTRIBUTES.activeMark, type: AttributeType.STRING };
const HISTORY_KEY = { name: LEDGER_ATTRIBUTES.historyOrder, type: AttributeType.STRING };
const WRITES_KEY = { name: LEDGER_ATTRIBUTES.openWrite, type: AttributeType.STRING };
const WRITES_SORT_KEY = { name: LEDGER_ATTRIBUTES.openWriteAtMs, type: AttributeType.NUMBER };

export interface LedgerTableProps {
  /** A table with the ledger's keys and indexes. @default - a new one */
  readonly table?: Table | TableV2 | ITable | undefined;
  /** DynamoDB refuses to delete the table. @default true, unless the removal policy may delete it */
  readonly deletionProtection?: boolean | undefined;
}

/** The state of every export and every write, in one DynamoDB table. */
export class LedgerTable extends Construct {
  readonly table: Table | TableV2 | ITable;

  /**
   * @throws SettingError when a table of the app has other keys than the ledger, or `deletionProtection` cannot be
   * as wanted.
   */
  constructor(scope: Construct, id: string, { table, deletionProtection }: LedgerTableProps) {
    super(scope, id);
    if (table !== undefined && deletionProtection !== undefined) {
      const problem =
        'a table of your own has a protection of its own: set it there, and leave this out';
      throw new SettingError('deletionProtection', problem);
    }
    this.table = table ?? newTable(this, deletionProtection);
    if (table !== undefined) checkKeys(table);
  }

  allow(...actions: readonly `dynamodb:${string}`[]): PolicyStatement {
    return new PolicyStatement({ actions: [...actions], resources: [this.table.tableArn] });
  }

  /** Allows these actions on items of some connections, or of all. */
  allowOf(
    connections: readonly string[] | undefined,
    ...actions: readonly `dynamodb:${string}`[]
  ): PolicyStatement {
    const statement = this.allow(...actions);
    if (connections === undefined) return statement;
    // The partition key of each item is its connection. A call without a key has no LeadingKeys to compare.
    statement.addCondition('ForAllValues:StringEquals', { 'dynamodb:LeadingKeys': connections });
    statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false' });
    return statement;
  }

  allowListActive(): PolicyStatement {
    return this.#allowQuery(ACTIVE_EXPORTS_INDEX);
  }

  allowListHistory(): PolicyStatement {
    return this.#allowQuery(EXPORT_HISTORY_INDEX);
  }

  allowListOpenWrites(): PolicyStatement {
    return this.#allowQuery(OPEN_WRITES_INDEX);
  }

  #allowQuery(index: string): PolicyStatement {
    return new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [`${this.table.tableArn}/index/${index}`],
    });
  }
}

function newTable(scope: Construct, given: boolean | undefined): Table {
  const { encryptionKey, removalPolicy } = foundationOf(scope);
  if (given === true && removalPolicy === RemovalPolicy.DESTROY) {
    throw new SettingError(
      'deletionProtection',
      'with the removal policy destroy expected false or nothing: CloudFormation could not delete the table',
    );
  }
  const isProtected = given ?? removalPolicy !== RemovalPolicy.DESTROY;
  const table = new Table(scope, 'Table', {
    partitionKey: PARTITION_KEY,
    sortKey: SORT_KEY,
    timeToLiveAttribute: LEDGER_ATTRIBUTES.timeToLive,
    billingMode: BillingMode.PAY_PER_REQUEST, // a few writes a step, none between exports
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: isProtected,
    // Without the table, a stored export cannot be distinguished from leftovers. A rollback of the first deployment
    // could not delete a protected table, and would fail itself: that table stays, empty and free of charge.
    removalPolicy: isProtected ? RemovalPolicy.RETAIN : removalPolicy,
    ...(encryptionKey === undefined
      ? {}
      : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  });
  if (given === undefined) protectUnlessDeleted(table);
  table.addGlobalSecondaryIndex({
    indexName: ACTIVE_EXPORTS_INDEX,
    partitionKey: INDEX_KEY,
    sortKey: PARTITION_KEY,
    projectionType: ProjectionType.ALL, // the items have three short attributes
  });
  table.addGlobalSecondaryIndex({
    indexName: EXPORT_HISTORY_INDEX,
    partitionKey: PARTITION_KEY,
    sortKey: HISTORY_KEY,
    projectionType: ProjectionType.KEYS_ONLY, // written once an export: its keys do not change with the state
  });
  table.addGlobalSecondaryIndex({
    indexName: OPEN_WRITES_INDEX,
    partitionKey: WRITES_KEY,
    sortKey: WRITES_SORT_KEY,
    projectionType: ProjectionType.KEYS_ONLY, // bodies of writes are large, and queries need only names
  });
  return table;
}

/** The app may set another removal policy than ours, and CloudFormation could not delete a protected table. */
function protectUnlessDeleted({ node: { defaultChild } }: Table): void {
  if (!(defaultChild instanceof CfnTable)) throw new Error('The table has no resource.');
  const { cfnOptions } = defaultChild;
  const produce = () => cfnOptions.deletionPolicy !== CfnDeletionPolicy.DELETE;
  defaultChild.deletionProtectionEnabled = Lazy.any({ produce });
}

function checkKeys(table: IConstruct): void {
  checkTableKeys(table, [
    { index: undefined, keys: [PARTITION_KEY, SORT_KEY] },
    { index: ACTIVE_EXPORTS_INDEX, keys: [INDEX_KEY, PARTITION_KEY], hasAll: true },
    { index: EXPORT_HISTORY_INDEX, keys: [PARTITION_KEY, HISTORY_KEY] },
    { index: OPEN_WRITES_INDEX, keys: [WRITES_KEY, WRITES_SORT_KEY] },
  ]);
}
