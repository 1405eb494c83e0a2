import * as v from 'valibot';
import { readStatements } from '../iam/statement.ts';
import { inert, resourceType } from '../resource-type.ts';

export const iamPolicy = resourceType({
  type: 'AWS::IAM::Policy',
  schema: v.strictObject({
    PolicyName: inert,
    PolicyDocument: v.unknown(),
    Roles: v.array(v.string()),
  }),
  make: ({ logicalId, place, properties: { PolicyDocument, Roles } }, { engines }) => {
    const statements = readStatements(PolicyDocument, logicalId);
    for (const role of Roles) engines.access.addRolePolicy(role, statements, place);
  },
});
