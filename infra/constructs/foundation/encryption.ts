import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { foundationOf, type KeysByService } from './foundation.ts';

/** Props of an encrypted queue that only accepts TLS. */
export function privateQueue(scope: Construct): QueueProps {
  const { encryptionKey } = foundationOf(scope);
  return {
    enforceSSL: true,
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  };
}

/** The KMS actions of a role, by the service that calls KMS for it. */
const ACTIONS: Readonly<Record<keyof KeysByService, readonly string[]>> = {
  /** To read and write parts (S3 user guide, "Using server-side encryption with AWS KMS keys"). */
  s3: ['kms:Decrypt', 'kms:GenerateDataKey'],
  /** To receive and send (SQS developer guide, "Key management"). */
  sqs: ['kms:Decrypt', 'kms:GenerateDataKey'],
  secretsmanager: ['kms:Decrypt'],
  /** DynamoDB developer guide, "Encryption at rest: usage notes", without creating grants. */
  dynamodb: [
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
    'kms:GenerateDataKeyWithoutPlaintext',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ],
};

/** Actions that return nothing encrypted. */
const WITHOUT_KEY: readonly string[] = ['secretsmanager:ListSecrets'];

/**
 * Allows a role to use the keys of the services in its statements, only through these services: the role itself
 * can decrypt nothing.
 *
 * @returns Nothing for keys of AWS, which need no permission.
 */
export function allowKeys(
  scope: IConstruct,
  statements: readonly PolicyStatement[],
): readonly PolicyStatement[] {
  const named = statements.flatMap(({ actions }) =>
    actions.filter((action) => !WITHOUT_KEY.includes(action)).map((action) => action.split(':')[0]),
  );
  const services = (['s3', 'sqs', 'dynamodb', 'secretsmanager'] as const).filter((service) =>
    named.includes(service),
  );
  const { keys } = foundationOf(scope);
  return services.flatMap((service) => {
    const key = keys[service];
    return key === undefined ? [] : [allowThrough(scope, key, service)];
  });
}

function allowThrough(scope: IConstruct, key: IKey, service: keyof KeysByService): PolicyStatement {
  return new PolicyStatement({
    actions: [...ACTIONS[service]],
    resources: [key.keyArn],
    conditions: {
      // `kms:ViaService` has this form in every partition but China's.
      StringEquals: { 'kms:ViaService': `${service}.${Stack.of(scope).region}.amazonaws.com` },
    },
  });
}

/**
 * Allows services that act without a role to use the key: CloudWatch Logs for its log groups, and EventBridge
 * for the events that it puts into queues. The policy of an imported key is not changed.
 */
export function allowServices(scope: Construct, key: IKey): void {
  const { account, region, partition } = Stack.of(scope);
  key.addToResourcePolicy(
    // CloudWatch Logs user guide, "Encrypt log data", step 2.
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: [
        'kms:Encrypt',
        'kms:Decrypt',
        'kms:ReEncrypt*',
        'kms:GenerateDataKey*',
        'kms:Describe*',
      ],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*`,
        },
      },
    }),
  );
  key.addToResourcePolicy(
    // SQS developer guide, "Configure KMS permissions for AWS services". The queue's policy names the rules.
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
}
