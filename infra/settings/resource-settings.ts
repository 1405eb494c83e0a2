import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { KeyPatternSchema } from './key-pattern.ts';

const RETENTIONS = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
);
const RETENTION_EXPECTED = `expected a number of days that CloudWatch has: ${RETENTIONS.join(', ')}`;
const PATTERNS_EXPECTED = 'expected a list of regular expressions, or false for no masking';
const IN_THE_STACK = 'in the account and region of the stack';
const VPC_EXPECTED =
  'expected an object such as {"vpcId": "vpc-0123456789abcdef0", "subnetIds": ["subnet-0123456789abcdef0"]}';

export const resourceSettingEntries = {
  bucket: v.exactOptional(
    nameOrArn(
      /^(?:arn:aws[a-z-]*:s3:::)?([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])$/,
      'a bucket in the region of the stack',
    ),
  ),
  table: v.exactOptional(
    nameOrArn(
      /^(?:arn:aws[a-z-]*:dynamodb:[^:]+:\d{12}:table\/)?([\w.-]{3,255})$/,
      `a table ${IN_THE_STACK}`,
    ),
  ),
  eventBus: v.exactOptional(
    nameOrArn(
      /^(?:arn:aws[a-z-]*:events:[^:]+:\d{12}:event-bus\/)?([\w./-]{1,256})$/,
      `an event bus ${IN_THE_STACK}`,
    ),
  ),
  encryptionKey: v.exactOptional(
    matching(
      /^arn:aws[a-z-]*:kms:[^:]+:\d{12}:key\/(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
      'expected the ARN of a KMS key, which an alias is not: arn:aws:kms:<region>:<account>:key/<id>',
    ),
  ),
  logRetentionDays: v.exactOptional(
    v.pipe(
      v.number(RETENTION_EXPECTED),
      v.check((days) => RETENTIONS.includes(days), RETENTION_EXPECTED),
    ),
  ),
  keyPatterns: v.exactOptional(
    v.lazy((given) =>
      given === false ? v.literal(false) : v.array(KeyPatternSchema, PATTERNS_EXPECTED),
    ),
  ),
  vpc: v.exactOptional(
    v.strictObject(
      {
        vpcId: ec2Id('vpc', 'a VPC'),
        subnetIds: ec2Ids('subnet', 'a subnet'),
        securityGroupIds: v.exactOptional(ec2Ids('sg', 'a security group')),
      },
      VPC_EXPECTED,
    ),
  ),
  removalPolicy: v.exactOptional(
    v.picklist(['retain', 'destroy'], 'expected "retain" or "destroy"'),
  ),
};

/** Keeps the name, by which functions know the resource. */
function nameOrArn(pattern: RegExp, what: string) {
  const expected = `expected the name or the ARN of ${what}`;
  return v.pipe(
    matching(pattern, expected),
    v.transform((text) => pattern.exec(text)?.[1] ?? text),
  );
}

function ec2Ids(prefix: string, what: string) {
  const expected = `expected a list of one or more ids of ${what.replace(/^an? /, '')}s`;
  return v.pipe(v.array(ec2Id(prefix, what), expected), v.minLength(1, expected));
}

function ec2Id(prefix: string, what: string) {
  const expected = `expected the id of ${what}, such as ${prefix}-0123456789abcdef0`;
  return matching(new RegExp(`^${prefix}-(?:[0-9a-f]{8}|[0-9a-f]{17})$`), expected);
}

function matching(pattern: RegExp, expected: string) {
  return v.pipe(v.string(expected), v.regex(pattern, expected));
}
