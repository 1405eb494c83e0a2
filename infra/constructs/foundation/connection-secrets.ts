import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { defined } from '../../../lib/defined.ts';
import { acknowledge, WildcardStatement } from './acknowledge.ts';
import { foundationOf } from './foundation.ts';

/**
 * The secrets with the keys, `<prefix><connection>`. The operator creates them: CloudFormation would show a key
 * in templates and change sets.
 */
export class ConnectionSecrets extends Construct {
  readonly prefix: string;
  /** Fingerprints of keys are made with it: of no use without it, and nobody has to remember it. */
  readonly fingerprintSecret: Secret;

  constructor(scope: Construct, id: string, prefix: string) {
    super(scope, id);
    this.prefix = prefix;
    const { encryptionKey } = foundationOf(this);
    this.fingerprintSecret = new Secret(this, 'Fingerprint', {
      description:
        'Fingerprints of API keys are made with it, which show that two connections have the same key.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      // Another one only makes other fingerprints.
      removalPolicy: RemovalPolicy.DESTROY,
      ...defined({ encryptionKey }),
    });
    acknowledge(
      this.fingerprintSecret,
      'AwsSolutions-SMG4',
      'It opens nothing. With another one all fingerprints would be others, and equal keys would not be found.',
    );
  }

  /** Allows finding out whether another connection has the same key. */
  allowFingerprint(): PolicyStatement {
    return new PolicyStatement({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [this.fingerprintSecret.secretArn],
    });
  }

  /** Allows reading the keys of some connections, or of all. */
  allowRead(connections?: readonly string[]): PolicyStatement {
    // Secrets Manager adds a hyphen and six random characters to the name. Of a secret that is not there yet it compares
    // the name alone, and where that is not allowed says that the right is missing, not the secret.
    const ends = connections?.flatMap((name) => [`${name}-??????`, name]) ?? ['*'];
    const resources = ends.map((end) =>
      Stack.of(this).formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: this.prefix + end,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    );
    return new WildcardStatement(
      { actions: ['secretsmanager:GetSecretValue'], resources },
      'The operator makes a secret for each connection under this prefix, and Secrets Manager ends each ARN with random characters.',
    );
  }

  /** Allows listing names and tags, not values, of all secrets of the account and region. */
  allowList(): PolicyStatement {
    return new WildcardStatement(
      { actions: ['secretsmanager:ListSecrets'], resources: ['*'] },
      'ListSecrets knows no resource (service authorization reference); it shows names and tags, and no value.',
    );
  }

  /** A secret has a new current version: Secrets Manager's own event, without CloudTrail. */
  newKeyPattern(): EventPattern {
    return {
      account: [Stack.of(this).account],
      source: ['aws.secretsmanager'],
      detailType: ['Secret Label Updated'],
      detail: { name: [{ prefix: this.prefix }], labelUpdated: ['AWSCURRENT'] },
    };
  }
}
