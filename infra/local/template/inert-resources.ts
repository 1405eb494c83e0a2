import type { Place } from './place.ts';

/** A type that is part of the deployed stack and needs nothing on this machine. */
interface InertResource {
  /** Why leaving it out changes nothing that a run can see. */
  readonly reason: string;
  /** The property that holds its name, when the template gives one. */
  readonly nameProperty?: string;
  /** What `Fn::GetAtt … Arn` gives. */
  readonly arn?: (name: string, place: Place) => string;
  /** What `Fn::GetAtt` gives for another attribute. */
  readonly attribute?: string;
}

const CHECKED = 'nothing is made of it; each call is checked against it';
const NOT_ENFORCED =
  'who is let in from outside of the stack; its own callers are checked against their roles';
const NOT_WATCHED = 'nothing is charted or alarmed here; usage() holds the numbers';
const LINES_GO_TO_SINK = "functions' lines go to the log sink of the run";
const NOTHING_PUBLISHES =
  'only alarms publish to it, and none is evaluated here; a function that calls SNS is refused by the endpoint';

/** Every resource type that is read and left out. A type in neither table is an error. */
export const inertResources: Readonly<Record<string, InertResource>> = {
  'AWS::IAM::Role': {
    reason: CHECKED,
    nameProperty: 'RoleName',
    arn: (name, { accountId }) => `arn:aws:iam::${accountId}:role/${name}`,
  },
  'AWS::IAM::Policy': { reason: CHECKED },
  'AWS::IAM::ManagedPolicy': { reason: CHECKED },
  'AWS::Lambda::Permission': { reason: CHECKED },
  'AWS::SQS::QueuePolicy': { reason: CHECKED },
  'AWS::S3::BucketPolicy': { reason: CHECKED },
  'AWS::Events::EventBusPolicy': { reason: NOT_ENFORCED },
  'AWS::SecretsManager::ResourcePolicy': { reason: NOT_ENFORCED },
  'AWS::SNS::TopicPolicy': { reason: NOT_ENFORCED },
  'AWS::KMS::Key': {
    reason: 'data at rest is in memory and ends with the run; there is nothing to encrypt',
    arn: (name, { accountId, region }) => `arn:aws:kms:${region}:${accountId}:key/${name}`,
  },
  'AWS::EC2::SecurityGroup': {
    reason: 'functions run in the network of this machine',
    attribute: 'GroupId',
  },
  'AWS::KMS::Alias': { reason: 'a name of a key; see AWS::KMS::Key' },
  'AWS::Logs::LogGroup': {
    reason: LINES_GO_TO_SINK,
    nameProperty: 'LogGroupName',
    arn: (name, { accountId, region }) => `arn:aws:logs:${region}:${accountId}:log-group:${name}:*`,
  },
  'AWS::Logs::MetricFilter': { reason: NOT_WATCHED },
  'AWS::Logs::QueryDefinition': { reason: NOT_WATCHED },
  'AWS::CloudWatch::Alarm': {
    reason: NOT_WATCHED,
    nameProperty: 'AlarmName',
    arn: (name, { accountId, region }) => `arn:aws:cloudwatch:${region}:${accountId}:alarm:${name}`,
  },
  'AWS::CloudWatch::CompositeAlarm': { reason: NOT_WATCHED, nameProperty: 'AlarmName' },
  'AWS::CloudWatch::Dashboard': { reason: NOT_WATCHED, nameProperty: 'DashboardName' },
  'AWS::SNS::Topic': {
    reason: NOTHING_PUBLISHES,
    nameProperty: 'TopicName',
    arn: (name, { accountId, region }) => `arn:aws:sns:${region}:${accountId}:${name}`,
  },
  'AWS::SNS::Subscription': { reason: NOTHING_PUBLISHES },
  'AWS::CDK::Metadata': { reason: 'tells AWS which constructs were used' },
  'Custom::S3AutoDeleteObjects': {
    reason: 'acts when the stack is deleted; objects here end with the run',
  },
  'Custom::LogRetention': { reason: LINES_GO_TO_SINK },
};
