import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ENVIRONMENT } from '../../functions/environment.ts';
import { type ExportResources, exportEnvironment } from './export-resources.ts';

/** What the middleware `customersClient` reads. */
const CLIENT_VARIABLES = [
  ENVIRONMENT.ledgerTable,
  ENVIRONMENT.secretPrefix,
  ENVIRONMENT.connections,
];

/**
 * Gives a function of your own what the middleware `customersClient` needs: the names of things as
 * environment variables, and the rights to read keys, and to read and tell the gate.
 */
export function grantClient(own: LambdaFunction, resources: ExportResources): void {
  const { secrets, ledger } = resources;
  const variables = exportEnvironment(resources);
  for (const name of CLIENT_VARIABLES) own.addEnvironment(name, variables[name] ?? '');
  own.addToRolePolicy(secrets.allowRead());
  own.addToRolePolicy(ledger.allow('dynamodb:GetItem', 'dynamodb:UpdateItem'));
}
