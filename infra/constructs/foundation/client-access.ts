import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { type ExportResources, exportEnvironment } from './export-resources.ts';
import { grantStatements } from './grant-statements.ts';

const CLIENT_VARIABLES = [
  ENVIRONMENT.ledgerTable,
  ENVIRONMENT.secretPrefix,
  ENVIRONMENT.connections,
];

/**
 * Gives your own function the environment variables of the middleware `customersClient`, and the permissions to
 * read keys, and to read and write the gate.
 *
 * @param connections Only these; none: all.
 */
export function grantClient(
  scope: IConstruct,
  own: LambdaFunction,
  { secrets, ledger, ...resources }: ExportResources,
  connections: readonly string[],
): void {
  const variables = exportEnvironment({ secrets, ledger, ...resources });
  for (const name of CLIENT_VARIABLES) own.addEnvironment(name, variables[name] ?? '');
  grantStatements(scope, own, [
    secrets.allowRead(connections),
    ledger.allowOf(connections, 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
  ]);
}
