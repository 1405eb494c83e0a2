import * as v from 'valibot';
import { parseBorder } from '../template/parse-border.ts';
import type { StackScope } from '../template/stack-scope.ts';
import { readStatements, type Statement } from './statement.ts';

const queuePolicySchema = v.strictObject({
  Queues: v.array(v.string()),
  PolicyDocument: v.unknown(),
});
const bucketPolicySchema = v.strictObject({ Bucket: v.string(), PolicyDocument: v.unknown() });
const permissionSchema = v.strictObject({
  Action: v.string(),
  FunctionName: v.string(),
  Principal: v.string(),
  SourceArn: v.optional(v.string()),
  SourceAccount: v.optional(v.string()),
});

/**
 * Reads the policies of queues, buckets and functions, by the ARN of what they protect.
 *
 * @throws SettingError naming the statement that cannot be decided on this machine.
 */
export function readResourcePolicies(scope: StackScope): ReadonlyMap<string, readonly Statement[]> {
  const policies = new Map<string, readonly Statement[]>();
  const add = (type: string, ref: string, statements: readonly Statement[]) => {
    for (const id of scope.idsOf(type)) {
      const { arn = '', name, ref: own } = scope.identityOf(id);
      if (![arn, name, own].includes(ref)) continue;
      policies.set(arn, [...(policies.get(arn) ?? []), ...statements]);
    }
  };

  for (const { id, properties } of read(scope, 'AWS::SQS::QueuePolicy', queuePolicySchema)) {
    const statements = readStatements(properties.PolicyDocument, id);
    for (const url of properties.Queues) add('AWS::SQS::Queue', url, statements);
  }
  for (const { id, properties } of read(scope, 'AWS::S3::BucketPolicy', bucketPolicySchema)) {
    add('AWS::S3::Bucket', properties.Bucket, readStatements(properties.PolicyDocument, id));
  }
  for (const { id, properties } of read(scope, 'AWS::Lambda::Permission', permissionSchema)) {
    const { FunctionName } = properties;
    add('AWS::Lambda::Function', FunctionName, readStatements(documentOf(properties), id));
  }
  return policies;
}

/** The statement that Lambda makes of a permission (Lambda API reference, AddPermission). */
function documentOf(permission: v.InferOutput<typeof permissionSchema>): object {
  const { Action, Principal, SourceArn, SourceAccount } = permission;
  return {
    Statement: {
      Effect: 'Allow',
      Principal: Principal.endsWith('.amazonaws.com') ? { Service: Principal } : { AWS: Principal },
      Action,
      Resource: '*',
      Condition: {
        ...(SourceArn !== undefined && { ArnLike: { 'aws:SourceArn': SourceArn } }),
        ...(SourceAccount !== undefined && {
          StringEquals: { 'aws:SourceAccount': SourceAccount },
        }),
      },
    },
  };
}

function read<const Schema extends v.GenericSchema>(
  scope: StackScope,
  type: string,
  schema: Schema,
) {
  return scope.idsOf(type).map((id) => ({
    id,
    properties: parseBorder(schema, scope.propertiesOf(id), `${id} (${type})`),
  }));
}
