import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { inert, resourceType } from '../resource-type.ts';
import type { Fauxqs } from '../services/fauxqs.ts';

export const s3Bucket = resourceType({
  type: 'AWS::S3::Bucket',
  // Who may read, encryption at rest, logs, versions and ageing: objects here end with the run.
  schema: v.strictObject({
    BucketEncryption: inert,
    LifecycleConfiguration: inert,
    LoggingConfiguration: inert,
    OwnershipControls: inert,
    PublicAccessBlockConfiguration: inert,
    VersioningConfiguration: inert,
  }),
  maxNameLength: 63,
  identity: (generated) => {
    const name = generated.toLowerCase();
    const arn = `arn:aws:s3:::${name}`;
    return { name, arn, ref: name, attributes: { Arn: arn } };
  },
  remove: async ({ name }, { fauxqs }) => {
    const answer = await fauxqs.inject({ method: 'DELETE', url: `/${name}` });
    if (answer.statusCode !== 204) {
      throw new SettingError(name, `the bucket stays: ${answer.payload}`);
    }
  },
  make: ({ name }, { engines }) => makeBucket(name, engines.fauxqs),
});

export async function makeBucket(name: string, engine: Fauxqs): Promise<void> {
  const answer = await engine.inject({ method: 'PUT', url: `/${name}` });
  if (answer.statusCode === 200) return;
  throw new SettingError(name, `the bucket cannot be made: ${answer.payload}`);
}
