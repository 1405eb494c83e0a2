import { createHash } from 'node:crypto';
import { defined } from '../../../lib/defined.ts';
import type { Place } from './place.ts';

/** What a resource is called: the result of `Ref` and `Fn::GetAtt`. */
export interface ResourceIdentity {
  readonly type: string;
  /** The physical name. */
  readonly name: string;
  /** `undefined` for types without one. */
  readonly arn: string | undefined;
  /** What `Ref` gives. */
  readonly ref: string;
  /** What `Fn::GetAtt` gives. */
  readonly attributes: Readonly<Record<string, string>>;
}

type Named = (
  name: string,
  place: Place,
  properties: Properties,
) => Omit<ResourceIdentity, 'name' | 'type'>;
type Properties = Readonly<Record<string, unknown>>;

interface MadeResource {
  /** The property that holds its name, when the template gives one. */
  readonly nameProperty?: string;
  readonly maxNameLength: number;
  readonly identity: Named;
}

/**
 * Every resource type that the local stack makes, with the names AWS would give
 * (CloudFormation user guide, "Return values" of each type).
 */
export const madeResources: Readonly<Record<string, MadeResource>> = {
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    maxNameLength: 80,
    identity: (name, { region, accountId, endpointUrl }) => {
      const arn = `arn:aws:sqs:${region}:${accountId}:${name}`;
      const url = `${endpointUrl}/${accountId}/${name}`;
      return { arn, ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } };
    },
  },
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    maxNameLength: 63,
    identity: (name, { region }) => {
      const arn = `arn:aws:s3:::${name}`;
      const attributes = {
        Arn: arn,
        DomainName: `${name}.s3.amazonaws.com`,
        RegionalDomainName: `${name}.s3.${region}.amazonaws.com`,
      };
      return { arn, ref: name, attributes };
    },
  },
  'AWS::DynamoDB::Table': { nameProperty: 'TableName', maxNameLength: 255, identity: table },
  'AWS::DynamoDB::GlobalTable': { nameProperty: 'TableName', maxNameLength: 255, identity: table },
  'AWS::Lambda::Function': {
    nameProperty: 'FunctionName',
    maxNameLength: 64,
    identity: (name, { region, accountId }) =>
      withArn(`arn:aws:lambda:${region}:${accountId}:function:${name}`, name),
  },
  'AWS::Lambda::EventSourceMapping': {
    maxNameLength: 64,
    identity: (name, { region, accountId }) => {
      const arn = `arn:aws:lambda:${region}:${accountId}:event-source-mapping:${name}`;
      return { arn, ref: name, attributes: { Id: name, EventSourceMappingArn: arn } };
    },
  },
  'AWS::Events::EventBus': {
    nameProperty: 'Name',
    maxNameLength: 256,
    identity: (name, { region, accountId }) => {
      const arn = `arn:aws:events:${region}:${accountId}:event-bus/${name}`;
      return { arn, ref: name, attributes: { Arn: arn, Name: name } };
    },
  },
  'AWS::Events::Rule': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identity: (name, { region, accountId }, { EventBusName }) => {
      const bus = busNameOf(EventBusName);
      const path = bus === 'default' ? name : `${bus}/${name}`;
      const ref = bus === 'default' ? name : `${bus}|${name}`;
      return withArn(`arn:aws:events:${region}:${accountId}:rule/${path}`, ref);
    },
  },
  'AWS::Scheduler::ScheduleGroup': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identity: (name, { region, accountId }) =>
      withArn(`arn:aws:scheduler:${region}:${accountId}:schedule-group/${name}`, name),
  },
  'AWS::Scheduler::Schedule': {
    nameProperty: 'Name',
    maxNameLength: 64,
    identity: (name, { region, accountId }, { GroupName }) => {
      const group = typeof GroupName === 'string' ? GroupName : 'default';
      return withArn(`arn:aws:scheduler:${region}:${accountId}:schedule/${group}/${name}`, name);
    },
  },
  'AWS::ApiGatewayV2::Api': {
    maxNameLength: 128,
    identity: (name, { httpApiUrls }) => {
      const id = hashOf(name).slice(0, 10);
      const url = httpApiUrls?.[name];
      const attributes = { ApiId: id, ...defined({ ApiEndpoint: url }) };
      return { arn: undefined, ref: id, attributes };
    },
  },
  'AWS::ApiGatewayV2::Stage': {
    nameProperty: 'StageName',
    maxNameLength: 128,
    identity: (name) => ({ arn: undefined, ref: name, attributes: {} }),
  },
  'AWS::ApiGatewayV2::Route': { maxNameLength: 128, identity: idOnly },
  'AWS::ApiGatewayV2::Integration': { maxNameLength: 128, identity: idOnly },
  'AWS::ApiGatewayV2::Authorizer': { maxNameLength: 128, identity: idOnly },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    maxNameLength: 512,
    identity: (name, place) => {
      const arn = secretArn(name, place);
      return { arn, ref: arn, attributes: { Id: arn } };
    },
  },
};

/** The name of a bus that a rule or a call gives as name or ARN. */
export function busNameOf(nameOrArn: unknown): string {
  return typeof nameOrArn === 'string' ? nameOrArn.replace(/^arn:.*:event-bus\//, '') : 'default';
}

/** Secrets Manager ends every ARN with a hyphen and six characters. */
export function secretArn(name: string, { region, accountId }: Place): string {
  return `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${hashOf(name).slice(0, 6)}`;
}

/** A name as CloudFormation makes one: stack, logical id, and a hash when it would be too long. */
export function generatedName(
  stackName: string,
  logicalId: string,
  type: string,
  properties: Properties,
): string {
  const maxLength = madeResources[type]?.maxNameLength ?? 128;
  const suffix =
    type === 'AWS::SQS::Queue' && String(properties['FifoQueue']) === 'true' ? '.fifo' : '';
  const whole = `${stackName}-${logicalId}`;
  const room = maxLength - suffix.length;
  const name =
    whole.length <= room ? whole : `${whole.slice(0, room - 9)}-${hashOf(whole).slice(0, 8)}`;
  return type === 'AWS::S3::Bucket' ? name.toLowerCase() : `${name}${suffix}`;
}

function table(name: string, { region, accountId }: Place): ReturnType<Named> {
  return withArn(`arn:aws:dynamodb:${region}:${accountId}:table/${name}`, name);
}

/** API Gateway makes up an id, and there is no other name. */
function idOnly(name: string): ReturnType<Named> {
  return { arn: undefined, ref: hashOf(name).slice(0, 10), attributes: {} };
}

function withArn(arn: string, ref: string): ReturnType<Named> {
  return { arn, ref, attributes: { Arn: arn } };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
