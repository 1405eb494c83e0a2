import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ACTIVE_EXPORTS_INDEX, LEDGER_ATTRIBUTES } from '../../functions/aws/ledger-table.ts';

/** The ledger: the truth about every export, in one DynamoDB table. */
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
}
