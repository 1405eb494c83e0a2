import * as v from 'valibot';
import { readStatements } from '../iam/statement.ts';
import { resourceType } from '../resource-type.ts';

const schema = v.strictObject({
  Action: v.string(),
  FunctionName: v.string(),
  Principal: v.pipe(v.string(), v.endsWith('.amazonaws.com', 'only services are let in here')),
  SourceArn: v.string(),
});

export const lambdaPermission = resourceType({
  type: 'AWS::Lambda::Permission',
  schema,
  make: ({ logicalId, place, properties }, { engines: { access, host } }) => {
    const { arn } = host.get(properties.FunctionName, place);
    access.addResourcePolicy(arn, readStatements(documentOf(properties), logicalId));
  },
});

/** The statement that Lambda makes of a permission (Lambda API reference, AddPermission). */
function documentOf({ Action, Principal, SourceArn }: v.InferOutput<typeof schema>): object {
  return {
    Statement: {
      Effect: 'Allow',
      Principal: { Service: Principal },
      Action,
      Resource: '*',
      Condition: { ArnLike: { 'aws:SourceArn': SourceArn } },
    },
  };
}
