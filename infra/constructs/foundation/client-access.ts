import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { type ExportResources, exportEnvironment } from './export-resources.ts';
import { grantStatements } from './grant-statements.ts';

/** What the middleware `customersClient` reads. */
const CLIENT_VARIABLES = [
  ENVIRONMENT.ledgerTable,
  ENVIRONMENT.secretPrefix,
  ENVIRONMENT.connections,
];

/**
 * Gives a function of your own what the middleware `customersClient` needs: the names of things as
 * environment variables, and the rights to read keys, and to read and tell the gate.
 *
 * @param connections Those that it may use; none: all.
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
