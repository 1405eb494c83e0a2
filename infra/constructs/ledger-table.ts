import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  ACTIVE_EXPORTS_INDEX,
  LEDGER_ATTRIBUTES,
  OPEN_WRITES_INDEX,
} from '../../functions/aws/ledger-table.ts';

/** The ledger: the truth about every export and every write, in one DynamoDB table. */
export class LedgerTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: LEDGER_ATTRIBUTES.partitionKey, type: AttributeType.STRING },
      sortKey: { name: LEDGER_ATTRIBUTES.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: LEDGER_ATTRIBUTES.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST, // a few writes a step, nothing between exports
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN, // without it a stored export cannot be told from its leftovers
    });
    this.table.addGlobalSecondaryIndex({
      indexName: ACTIVE_EXPORTS_INDEX,
      partitionKey: { name: LEDGER_ATTRIBUTES.activeMark, type: AttributeType.STRING },
      sortKey: { name: LEDGER_ATTRIBUTES.partitionKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL, // the items have three short attributes
    });
    this.table.addGlobalSecondaryIndex({
      indexName: OPEN_WRITES_INDEX,
      partitionKey: { name: LEDGER_ATTRIBUTES.openWrite, type: AttributeType.STRING },
      sortKey: { name: LEDGER_ATTRIBUTES.openWriteAtMs, type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY, // bodies of writes are large, and only names are asked for
    });
  }

  /** Allows these actions on items of the table. */
  allow(...actions: readonly `dynamodb:${string}`[]): PolicyStatement {
    return new PolicyStatement({ actions: [...actions], resources: [this.table.tableArn] });
  }

  /** Allows to find the active exports of all connections. */
  allowListActive(): PolicyStatement {
    return new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [`${this.table.tableArn}/index/${ACTIVE_EXPORTS_INDEX}`],
    });
  }

  /** Allows to find the unfinished and the unclear writes of all connections. */
  allowListOpenWrites(): PolicyStatement {
    return new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [`${this.table.tableArn}/index/${OPEN_WRITES_INDEX}`],
    });
  }
}
