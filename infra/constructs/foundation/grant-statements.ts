import { Grant, type IGrantable, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as OwnFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import * as v from 'valibot';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { parseSetting } from '../../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../../lib/errors.ts';
import { allowKeys } from './encryption.ts';
import { type ExportResources, exportEnvironment } from './export-resources.ts';
import { requirePlace } from './require-place.ts';

const GranteeSchema = v.custom<IGrantable>(
  (given) => typeof given === 'object' && given !== null && 'grantPrincipal' in given,
  'expected what can be given rights, such as a function or a role',
);

/** Grants the statements, and the use of the encryption keys of their resources. */
export function grantStatements(
  scope: IConstruct,
  grantee: IGrantable,
  statements: readonly PolicyStatement[],
): Grant {
  parseSetting(GranteeSchema, grantee, 'grantee');
  const [first, ...others] = [...statements, ...allowKeys(scope, statements)].map(
    ({ actions, resources, conditions }) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: resources, conditions }),
  );
  return others.reduce((all, each) => all.combine(each), first ?? Grant.drop(grantee, 'nothing'));
}

const OwnFunctionSchema = v.custom<OwnFunction>(
  (given) => typeof given === 'object' && given !== null && 'addEnvironment' in given,
  'expected a function of this app, whose environment can be set',
);

const CLIENT_VARIABLES = [
  ENVIRONMENT.ledgerTable,
  ENVIRONMENT.secretPrefix,
  ENVIRONMENT.connections,
];

const integrations = new WeakMap<OwnFunction, IConstruct>();

/** Those of another integration would replace the variables, and its keys be used under the same names. */
function claimFunction(own: OwnFunction, integration: IConstruct): void {
  const { node } = integrations.get(own) ?? integration;
  if (node !== integration.node) {
    const problem = `expected a function for each integration, since its environment names one: ${own.node.path} has that of ${node.path} already`;
    throw new SettingError('own', problem);
  }
  integrations.set(own, integration);
}

/**
 * Gives your own function the environment variables of the middleware `customersClient`, and the permissions to
 * read keys, and to read and write the gate.
 *
 * @param groups Of connections, each for statements of its own; `undefined`: all.
 */
export function grantClient(
  scope: IConstruct,
  own: OwnFunction,
  { secrets, ledger, ...resources }: ExportResources,
  groups: readonly (readonly string[] | undefined)[],
): void {
  parseSetting(OwnFunctionSchema, own, 'own');
  // The variables are names, which the function looks up in its own account and region.
  requirePlace(scope, 'region', 'own', [own.env.region]);
  requirePlace(scope, 'account', 'own', [own.env.account]);
  claimFunction(own, scope);
  const variables = exportEnvironment({ secrets, ledger, ...resources });
  for (const name of CLIENT_VARIABLES) own.addEnvironment(name, variables[name] ?? '');
  const statements = groups.flatMap((connections) => [
    secrets.allowRead(connections),
    ledger.allowOf(connections, 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
  ]);
  grantStatements(scope, own, statements);
}
