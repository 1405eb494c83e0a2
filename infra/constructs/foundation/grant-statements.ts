import { Lazy, Token } from 'aws-cdk-lib';
import { Grant, type IGrantable, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Function as OwnFunction, type Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import * as v from 'valibot';
import type { ConnectionTable } from '../../../functions/services/connection-settings.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { parseSetting } from '../../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../../lib/errors.ts';
import { WildcardStatement } from './acknowledge.ts';
import { allowKeys } from './encryption.ts';
import { type ExportResources, exportEnvironment } from './export-resources.ts';
import { environmentProblems } from './function-environment.ts';
import { requirePlace } from './require-place.ts';

const GranteeSchema = v.custom<IGrantable>(
  (given) => typeof given === 'object' && given !== null && 'grantPrincipal' in given,
  'expected what can be given rights, such as a function or a role',
);

const NO_POLICY =
  'expected what has a policy, such as a function or a role: to a service, an ARN or an account nothing can be added';

/**
 * Grants the statements, and the use of the encryption keys of their resources. Their wildcards are acknowledged where
 * the grantee holds them.
 *
 * @throws SettingError for a grantee that would get nothing by them.
 */
export function grantStatements(
  scope: IConstruct,
  grantee: IGrantable,
  statements: readonly PolicyStatement[],
): Grant {
  parseSetting(GranteeSchema, grantee, 'grantee');
  // A policy of another account reaches nothing here, unless the resource allows it too.
  requirePlace(scope, 'account', 'grantee', [grantee.grantPrincipal.principalAccount]);
  const { grantPrincipal } = grantee;
  const all = [...statements, ...allowKeys(scope, statements)];
  const [first, ...others] = all.map(({ actions, resources, conditions }) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: resources, conditions }),
  );
  const granted = others.reduce((sum, each) => sum.combine(each), first ?? Grant.drop(grantee, ''));
  if (!granted.success) throw new SettingError('grantee', NO_POLICY);
  if (Construct.isConstruct(grantPrincipal)) acknowledgeAll(grantPrincipal, all);
  return granted;
}

function acknowledgeAll(holder: IConstruct, statements: readonly PolicyStatement[]): void {
  for (const statement of statements) {
    if (statement instanceof WildcardStatement) statement.acknowledgeIn(holder);
  }
}

const OwnFunctionSchema = v.custom<OwnFunction>(
  (given) => typeof given === 'object' && given !== null && 'addEnvironment' in given,
  'expected a function of this app, whose environment can be set',
);

/** The oldest Node.js that the middleware runs on. */
const OLDEST_NODE = 20;
const { NODEJS, OTHER } = RuntimeFamily;

/** Whether it is known that the middleware cannot run: images, and runtimes of a user's own, may hold any Node.js. */
function isWrongRuntime({ name, family }: Runtime): boolean {
  if (Token.isUnresolved(name)) return false;
  const [, major] = /^nodejs(\d*)/.exec(name) ?? [];
  if (major !== undefined) return Number(major) < OLDEST_NODE;
  return family !== undefined && family !== NODEJS && family !== OTHER;
}

/** The CDK takes an old runtime where it is given none, so also for the name of one that it does not know yet. */
function requireRuntime({ runtime }: OwnFunction): void {
  if (!isWrongRuntime(runtime)) return;
  const problem = `expected a function with the runtime nodejs${OLDEST_NODE}.x or newer, got ${runtime.name}. Set its runtime; one that this version of aws-cdk-lib does not have is undefined, and the CDK takes an old one in its place`;
  throw new SettingError('own', problem);
}

/** Names of connections; `undefined`: all. */
type Group = readonly string[] | undefined;

interface OwnClient {
  readonly integration: IConstruct;
  /** Of all grants, each for more of the same integration. */
  readonly groups: Group[];
}

const ownClients = new WeakMap<OwnFunction, OwnClient>();

/** Those of another integration would replace the variables, and its keys be used under the same names. */
function claimFunction(own: OwnFunction, integration: IConstruct): OwnClient {
  const claimed = ownClients.get(own) ?? { integration, groups: [] };
  const { node } = claimed.integration;
  if (node !== integration.node) {
    const problem = `expected a function for each integration, since its environment names one: ${own.node.path} has that of ${node.path} already`;
    throw new SettingError('own', problem);
  }
  ownClients.set(own, claimed);
  return claimed;
}

/** The settings of connections that the function may not use are none of its business, and fill its environment. */
function tableOf({ defaults, connections }: ConnectionTable, groups: readonly Group[]) {
  const isGranted = (name: string) => groups.some((group) => group?.includes(name) ?? true);
  const granted = Object.entries(connections).filter(([name]) => isGranted(name));
  return { defaults, connections: Object.fromEntries(granted) };
}

function setVariables(own: OwnFunction, resources: ExportResources, groups: readonly Group[]) {
  const { connectionTable } = resources;
  const variables = exportEnvironment(resources);
  for (const name of [ENVIRONMENT.ledgerTable, ENVIRONMENT.secretPrefix]) {
    own.addEnvironment(name, variables[name] ?? '');
  }
  const produce = () => JSON.stringify(tableOf(connectionTable, groups));
  own.addEnvironment(ENVIRONMENT.connections, Lazy.string({ produce }));
  own.node.addValidation({ validate: () => environmentProblems(own) });
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
  resources: ExportResources,
  groups: readonly Group[],
): void {
  parseSetting(OwnFunctionSchema, own, 'own');
  requireRuntime(own);
  // The variables are names, which the function looks up in its own account and region.
  requirePlace(scope, 'region', 'own', [own.env.region]);
  requirePlace(scope, 'account', 'own', [own.env.account]);
  const client = claimFunction(own, scope);
  if (client.groups.length === 0) setVariables(own, resources, client.groups);
  client.groups.push(...groups);
  const { secrets, ledger } = resources;
  const statements = groups.flatMap((connections) => [
    secrets.allowRead(connections),
    ledger.allowOf(connections, 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
  ]);
  grantStatements(scope, own, statements);
}
