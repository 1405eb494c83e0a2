import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../functions/services/environment.ts';
import type { Changes } from './changes/changes.ts';
import { acknowledge } from './foundation/acknowledge.ts';
import {
  type ExportResources,
  exportEnvironment,
  exportStatements,
} from './foundation/export-resources.ts';
import type { ExportStore } from './foundation/export-store.ts';
import { LambdaFunction, type LambdaFunctionProps } from './foundation/lambda-function.ts';
import type { Writes } from './writes/writes.ts';

/** API Gateway ends a request after 30 s with an error without a reason; the function ends first. */
const TIMEOUT = Duration.seconds(29);

export interface HttpFunctionProps {
  readonly resources: ExportResources;
  readonly store: ExportStore;
  readonly writes: Writes | undefined;
  /** `undefined`: exports are not compared, and there is no route of changes. */
  readonly changes: Changes | undefined;
}

/** Serves all routes but those of the two functions below. */
export function httpApiFunction(
  scope: Construct,
  { resources, writes, changes }: HttpFunctionProps,
): LambdaFunction {
  return answering(scope, 'Function', {
    file: 'http-api',
    description: 'Serves the HTTP API: starts and shows exports, and reads live pages',
    timeout: TIMEOUT,
    memorySize: 512, // for a page of 6 MB with its copies; the bundle also loads faster with more CPU
    environment: {
      ...exportEnvironment(resources),
      ...writes?.environment,
      ...changes?.environment,
    },
    statements: [
      ...(writes?.statements ?? []),
      ...(changes?.statements ?? []),
      resources.secrets.allowRead(),
      resources.secrets.allowFingerprint(),
      ...exportStatements(resources),
      resources.ledger.allow(
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
      ),
      resources.ledger.allowListHistory(),
    ],
  });
}

/** Presigns URLs of the files of an export: who has one reads the file as the role of this function may. */
export function listFilesFunction(scope: Construct, props: HttpFunctionProps): LambdaFunction {
  const { resources, store } = props;
  return answering(scope, 'ListFiles', {
    file: 'list-files',
    description: 'Gives URLs by which the files of an export are downloaded',
    // Three small reads, one of a manifest, and signing, which takes no request.
    timeout: Duration.seconds(10),
    environment: readingEnvironment(props),
    statements: [resources.ledger.allow('dynamodb:GetItem'), ...store.allowPresign()],
  });
}

export function listChangesFunction(scope: Construct, props: HttpFunctionProps): LambdaFunction {
  const { resources, store } = props;
  return answering(scope, 'ListChanges', {
    file: 'list-changes',
    description: 'Gives pages of what exports changed',
    // A page reads up to 40 blocks of a megabyte, one after the other: a second or two.
    timeout: TIMEOUT,
    memorySize: 512, // for a block and an answer of 6 MB with their copies
    environment: readingEnvironment(props),
    statements: [resources.ledger.allow('dynamodb:GetItem'), ...store.allowReadChanges()],
  });
}

function readingEnvironment({ resources, store }: HttpFunctionProps) {
  return {
    [ENVIRONMENT.ledgerTable]: resources.ledger.table.tableName,
    [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
  };
}

function answering(scope: Construct, id: string, props: LambdaFunctionProps): LambdaFunction {
  const made = new LambdaFunction(scope, id, props);
  acknowledge(
    made,
    'Serverless-LambdaDLQ',
    'API Gateway waits for the answer, so the caller sees a failure.',
  );
  return made;
}
