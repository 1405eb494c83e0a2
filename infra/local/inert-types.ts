import type { InertType } from './resource-type.ts';

const NOT_WATCHED = 'nothing is charted or alarmed here; usage() holds the numbers';
const NOT_QUERIED = 'there is no Athena here; npm start leaves the files themselves';

/** Every resource type that is part of the deployed stack and needs nothing on this machine. */
export const inertTypes: readonly InertType[] = [
  { type: 'AWS::CDK::Metadata', reason: 'says to AWS which constructs were used' },
  { type: 'AWS::CloudWatch::Alarm', reason: NOT_WATCHED },
  { type: 'AWS::CloudWatch::Dashboard', reason: NOT_WATCHED },
  {
    type: 'AWS::EC2::SecurityGroup',
    reason: 'functions run in the network of this machine',
    identity: (name) => ({ attributes: { GroupId: name } }),
  },
  { type: 'AWS::Glue::Database', reason: NOT_QUERIED },
  { type: 'AWS::Glue::Table', reason: NOT_QUERIED },
  {
    type: 'AWS::Logs::LogGroup',
    reason: 'the lines of functions go to the log sink of the run',
    identity: (name, { region, accountId }) => ({
      arn: `arn:aws:logs:${region}:${accountId}:log-group:${name}:*`,
    }),
  },
  { type: 'AWS::Logs::QueryDefinition', reason: NOT_WATCHED },
];
