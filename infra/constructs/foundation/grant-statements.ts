import { Grant, type IGrantable, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { allowKeys } from './encryption.ts';

/** Grants the statements, and the use of the encryption keys of their resources. */
export function grantStatements(
  scope: IConstruct,
  grantee: IGrantable,
  statements: readonly PolicyStatement[],
): Grant {
  const [first, ...others] = [...statements, ...allowKeys(scope, statements)].map(
    ({ actions, resources, conditions }) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: resources, conditions }),
  );
  return others.reduce((all, each) => all.combine(each), first ?? Grant.drop(grantee, 'nothing'));
}
