import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { parseBorder } from '../template/parse-border.ts';
import type { StackScope } from '../template/stack-scope.ts';
import { awsManagedPolicies } from './managed-policies.ts';
import { readStatements, type Statement } from './statement.ts';

/** A role of the template with every policy that is attached to it. */
export interface Role {
  readonly arn: string;
  readonly name: string;
  /** Who may assume it. */
  readonly trust: readonly Statement[];
  /** What it may do. */
  readonly statements: readonly Statement[];
}

/** What changes nothing that a call is decided by. */
const inert = v.optional(v.unknown());
const names = v.optional(v.array(v.string()), []);

const roleSchema = v.strictObject({
  AssumeRolePolicyDocument: v.unknown(),
  Policies: v.optional(
    v.array(v.object({ PolicyName: v.string(), PolicyDocument: v.unknown() })),
    [],
  ),
  ManagedPolicyArns: names,
  RoleName: inert,
  Description: inert,
  MaxSessionDuration: inert,
  Path: inert,
  Tags: inert,
});
const policySchema = v.looseObject({ PolicyDocument: v.unknown(), Roles: names });

/**
 * Reads the roles of a template, by ARN, each with its inline and managed policies.
 *
 * @throws SettingError naming the role or statement that cannot be decided on this machine.
 */
export function readRoles(scope: StackScope): ReadonlyMap<string, Role> {
  const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    scope.idsOf(type).map((id) => {
      const place = `${id} (${type})`;
      const { Roles, PolicyDocument } = parseBorder(policySchema, scope.propertiesOf(id), place);
      const { ref } = scope.identityOf(id);
      return { ref, roles: Roles, statements: readStatements(PolicyDocument, id) };
    }),
  );
  const roles = scope.idsOf('AWS::IAM::Role').map((id): Role => {
    const { arn = '', name } = scope.identityOf(id);
    const place = `${id} (AWS::IAM::Role)`;
    const properties = parseBorder(roleSchema, scope.propertiesOf(id), place);
    const { ManagedPolicyArns } = properties;
    const attached = policies.filter(
      ({ ref, roles: attachedTo }) => attachedTo.includes(name) || ManagedPolicyArns.includes(ref),
    );
    const elsewhere = ManagedPolicyArns.filter((policy) =>
      policies.every(({ ref }) => ref !== policy),
    );
    return {
      arn,
      name,
      trust: readStatements(properties.AssumeRolePolicyDocument, `${id}, trust`),
      statements: [
        ...properties.Policies.flatMap(({ PolicyName, PolicyDocument }) =>
          readStatements(PolicyDocument, `${id}, ${PolicyName}`),
        ),
        ...attached.flatMap(({ statements }) => statements),
        ...elsewhere.flatMap((policy) => readAwsPolicy(policy, id, place)),
      ],
    };
  });
  return new Map(roles.map((role) => [role.arn, role]));
}

function readAwsPolicy(arn: string, id: string, place: string): readonly Statement[] {
  const name = arn.replace(/^arn:aws:iam::aws:policy\//, '');
  const document = awsManagedPolicies[name];
  if (document !== undefined) return readStatements(document, `${id}, ${name}`);
  throw new SettingError(
    place,
    `the local stack does not know what the managed policy ${arn} allows; write its statements ` +
      'into the template',
  );
}
