import { expect, test } from '@jest/globals';
import { customersSettingsOf } from '../../../infra/settings/customers-settings.ts';

const base = { baseUrl: 'https://api.example.com', connections: { demo: {} } };
const vpc = { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-12345678'] };

test.each([
  ['bucket', 'team-exports', 'team-exports'],
  ['bucket', 'arn:aws:s3:::team-exports', 'team-exports'],
  ['table', 'arn:aws-cn:dynamodb:cn-north-1:123456789012:table/team_ledger', 'team_ledger'],
  ['eventBus', 'team.events', 'team.events'],
  ['eventBus', 'arn:aws:events:eu-central-1:123456789012:event-bus/team.events', 'team.events'],
])('takes the setting %s as %s', (name, given, taken) => {
  expect(customersSettingsOf({ ...base, [name]: given })).toMatchObject({ [name]: taken });
});

test.each<[string, unknown, string, string]>([
  ['bucket', 'Team_Exports', '', 'the name or the ARN of a bucket'],
  ['bucket', 'arn:aws:s3:::team-exports/exports/*', '', 'the name or the ARN of a bucket'],
  ['table', 'no table', '', 'the name or the ARN of a table'],
  ['eventBus', 'arn:aws:events:eu-central-1::event-bus/x', '', 'the name or the ARN of an event'],
  ['encryptionKey', 'alias/team', '', 'expected the ARN of a KMS key, which an alias is not'],
  [
    'encryptionKey',
    'arn:aws:kms:eu-central-1:123456789012:alias/team',
    '',
    'expected the ARN of a KMS key',
  ],
  ['logRetentionDays', 31, '', 'expected a number of days that CloudWatch has: 1, 3, 5, 7'],
  ['logRetentionDays', 'forever', '', 'expected a number of days that CloudWatch has'],
  ['keyPatterns', 'cust_.*', '', 'expected a list of regular expressions, or false'],
  ['keyPatterns', ['cust_[a-z]+', '[a-z]*'], '[1]', 'it matches any text at all'],
  ['keyPatterns', ['cust_[a-z]+', '(x)'], '[1]', 'expected a regular expression of 1 to 200'],
  ['removalPolicy', 'delete', '', 'expected "retain" or "destroy"'],
  ['vpc', 'vpc-12345678', '', 'expected an object such as'],
  ['vpc', { ...vpc, vpcId: 'mine' }, '.vpcId', 'expected the id of a VPC'],
  ['vpc', { ...vpc, subnetIds: [] }, '.subnetIds', 'expected a list of one or more ids of subnets'],
  ['vpc', { ...vpc, subnetIds: ['mine'] }, '.subnetIds[0]', 'expected the id of a subnet'],
  [
    'vpc',
    { ...vpc, securityGroupIds: [] },
    '.securityGroupIds',
    'expected a list of one or more ids of security groups',
  ],
  ['vpc', { ...vpc, zones: [] }, '.zones', 'there is no such setting'],
])('refuses the setting %s: %j', (name, given, place, problem) => {
  expect(() => customersSettingsOf({ ...base, [name]: given })).toThrow(
    expect.objectContaining({
      setting: `customers-functions.${name}${place}`,
      message: expect.stringContaining(problem),
    }),
  );
});
