import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { inert, integer, resourceType } from '../resource-type.ts';

const schema = v.strictObject({
  Code: v.strictObject({ S3Bucket: inert, S3Key: v.string() }),
  Handler: v.string(),
  Role: v.string(),
  Runtime: v.pipe(v.string(), v.startsWith('nodejs', 'only Node.js functions are run here')),
  Environment: v.optional(v.strictObject({ Variables: recordOf(v.string(), v.string()) }), {
    Variables: {},
  }),
  // Defaults: Lambda quotas and the CloudFormation reference of AWS::Lambda::Function.
  MemorySize: v.optional(v.pipe(integer, v.minValue(128), v.maxValue(10_240)), 128),
  Timeout: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(900)), 3),
  LoggingConfig: v.optional(
    v.strictObject({ LogFormat: inert, LogGroup: v.optional(v.string()) }),
    {},
  ),
  DeadLetterConfig: v.optional(v.strictObject({ TargetArn: v.string() })),
  // Processor and network: not of this machine.
  Architectures: inert,
  Description: inert,
  VpcConfig: inert,
  // Lambda's loop detection does not run here, so there is nothing to allow.
  RecursiveLoop: inert,
});

/**
 * Its files are copied away from the project: a module that was left out of the bundle is missing here too,
 * and no `package.json` above changes how files are read. AWS refuses a role that Lambda cannot assume, or
 * that may not send to the function's dead-letter queue.
 */
export const lambdaFunction = resourceType({
  type: 'AWS::Lambda::Function',
  schema,
  identity: (name, { region, accountId }) => ({
    arn: `arn:aws:lambda:${region}:${accountId}:function:${name}`,
  }),
  remove: ({ name }, { host }) => host.remove(name),
  async make({ logicalId, name, arn, place, properties }, making) {
    const { engines } = making;
    const taskRoot = join(making.workDirectory, 'functions', name);
    const files = making.assetDirectories.get(properties.Code.S3Key);
    if (files === undefined) {
      const problem = `its code ${properties.Code.S3Key} is no directory of the assembly: bundle it with the stack`;
      throw new SettingError(place, problem);
    }
    await cp(files, taskRoot, { recursive: true });
    const service = 'lambda.amazonaws.com';
    const roleArn = properties.Role;
    engines.access.addCaller({ caller: name, roleArn, service, sourceArn: arn, place });
    const deadLetterArn = properties.DeadLetterConfig?.TargetArn;
    if (deadLetterArn !== undefined) {
      engines.access.require(name, ['sqs:SendMessage'], deadLetterArn, place);
    }
    engines.host.add({
      logicalId,
      name,
      arn,
      taskRoot,
      handler: properties.Handler,
      variables: properties.Environment.Variables,
      memoryMb: properties.MemorySize,
      timeoutSeconds: properties.Timeout,
      logGroup: properties.LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
      deadLetterArn,
      credentials: engines.callers.admitRole(name),
    });
  },
});
