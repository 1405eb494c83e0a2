import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { foundationOf, type KeysByService } from './foundation.ts';

/** How a queue keeps its messages: encrypted, and reached by TLS alone. */
export function privateQueue(scope: Construct): QueueProps {
  const { encryptionKey } = foundationOf(scope);
  return {
    enforceSSL: true,
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  };
}

/** What a role needs of the key to use what a service encrypts with it, by the service that asks KMS. */
const ACTIONS: Readonly<Record<keyof KeysByService, readonly string[]>> = {
  /** Reading parts, and writing them (S3 user guide, "Using server-side encryption with AWS KMS keys"). */
  s3: ['kms:Decrypt', 'kms:GenerateDataKey'],
  /** Receiving, and sending (SQS developer guide, "Key management"). */
  sqs: ['kms:Decrypt', 'kms:GenerateDataKey'],
  secretsmanager: ['kms:Decrypt'],
  /** DynamoDB developer guide, "Encryption at rest: usage notes", without making grants. */
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

/** What gives out nothing that is encrypted. */
const WITHOUT_KEY: readonly string[] = ['secretsmanager:ListSecrets'];

/**
 * Allows a role the keys of the services that its statements name, through these services and no other
 * way: with a key alone nothing can be decrypted.
 *
 * @returns Nothing where keys of AWS encrypt, which need no right.
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
      // Names of services in this condition end like this in every partition but China's.
      StringEquals: { 'kms:ViaService': `${service}.${Stack.of(scope).region}.amazonaws.com` },
    },
  });
}

/**
 * Lets services use the key that act by themselves and not as a role: CloudWatch Logs for its groups, and
 * EventBridge for what it cannot deliver. Nothing is added to the policy of a key that is imported.
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
    // SQS developer guide, "Configure KMS permissions for AWS services"; the queue's policy names the rules.
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
    }),
  );
}
