import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { acknowledge } from '../foundation/acknowledge.ts';
import type { ExportStore } from '../foundation/export-store.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import type { LedgerTable } from '../foundation/ledger-table.ts';

export interface ListFilesFunctionProps {
  readonly ledger: LedgerTable;
  readonly store: ExportStore;
}

/** Presigns URLs of the files of an export: who has one reads the file as the role of this function may. */
export class ListFilesFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { ledger, store }: ListFilesFunctionProps) {
    super(scope, id, {
      file: 'list-files',
      description: 'Gives URLs by which the files of an export are downloaded',
      // Three small reads, one of a manifest, and signing, which takes no request.
      timeout: Duration.seconds(10),
      memorySize: 512, // the bundle loads faster with more CPU
      environment: {
        [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
      },
      statements: [ledger.allow('dynamodb:GetItem'), ...store.allowPresign()],
    });
    acknowledge(
      this,
      'Serverless-LambdaDLQ',
      'API Gateway waits for the answer, so the caller sees a failure.',
    );
  }
}
