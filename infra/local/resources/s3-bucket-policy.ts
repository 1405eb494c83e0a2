import * as v from 'valibot';
import { readStatements } from '../iam/statement.ts';
import { resourceType } from '../resource-type.ts';

export const s3BucketPolicy = resourceType({
  type: 'AWS::S3::BucketPolicy',
  schema: v.strictObject({ Bucket: v.string(), PolicyDocument: v.unknown() }),
  make: ({ logicalId, properties: { Bucket, PolicyDocument } }, { engines }) => {
    const statements = readStatements(PolicyDocument, logicalId);
    engines.access.addResourcePolicy(`arn:aws:s3:::${Bucket}`, statements);
  },
});
