import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** A role of a function that may log and nothing else, with statements in the template as our own roles have them. */
export function sampleRole(scope: Construct, id: string): Role {
  const role = new Role(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
  role.addToPolicy(new PolicyStatement({ actions, resources: ['*'] }));
  return role;
}
