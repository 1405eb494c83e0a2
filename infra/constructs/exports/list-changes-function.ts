import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { acknowledge } from '../foundation/acknowledge.ts';
import type { ExportStore } from '../foundation/export-store.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import type { LedgerTable } from '../foundation/ledger-table.ts';

export interface ListChangesFunctionProps {
  readonly ledger: LedgerTable;
  readonly store: ExportStore;
}

export class ListChangesFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { ledger, store }: ListChangesFunctionProps) {
    super(scope, id, {
      file: 'list-changes',
      description: 'Gives pages of what exports changed',
      // A page reads up to 40 blocks of a megabyte, one after the other: a second or two.
      timeout: Duration.seconds(29),
      memorySize: 512, // for a block and an answer of 6 MB with their copies
      environment: {
        [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
      },
      statements: [ledger.allow('dynamodb:GetItem'), ...store.allowReadChanges()],
    });
    acknowledge(
      this,
      'Serverless-LambdaDLQ',
      'API Gateway waits for the answer, so the caller sees a failure.',
    );
  }
}
