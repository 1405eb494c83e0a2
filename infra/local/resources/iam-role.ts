import * as v from 'valibot';
import { readStatements } from '../iam/statement.ts';
import { inert, resourceType } from '../resource-type.ts';

export const iamRole = resourceType({
  type: 'AWS::IAM::Role',
  schema: v.strictObject({ AssumeRolePolicyDocument: v.unknown(), Description: inert }),
  identity: (name, { accountId }) => ({ arn: `arn:aws:iam::${accountId}:role/${name}` }),
  remove: ({ arn }, { access }) => access.removeRole(arn),
  make: ({ logicalId, arn, name, properties }, { engines }) => {
    const trust = readStatements(properties.AssumeRolePolicyDocument, `${logicalId}, trust`);
    engines.access.addRole(arn, name, trust);
  },
});
