import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { DataProtectionPolicy, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IConstruct } from 'constructs';

/** Settings that all constructs of an integration share. */
export interface Foundation {
  /** Encrypts new resources; `undefined`: keys of AWS do. */
  readonly encryptionKey: IKey | undefined;
  /** Keys that roles must be able to use, by the service that calls KMS for them. */
  readonly keys: KeysByService;
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /** Masks text in logs that looks like a key; `undefined`: no masking. */
  readonly dataProtection: DataProtectionPolicy | undefined;
  /** `undefined`: Lambda's own network. */
  readonly network: Network | undefined;
}

export type KeysByService = Readonly<
  Record<'s3' | 'sqs' | 'dynamodb' | 'secretsmanager', IKey | undefined>
>;

export interface Network {
  readonly vpc: IVpc;
  readonly vpcSubnets: SubnetSelection | undefined;
  readonly securityGroups: readonly ISecurityGroup[];
}

const foundations = new WeakMap<IConstruct, Foundation>();

export function layFoundation(scope: IConstruct, foundation: Foundation): void {
  foundations.set(scope, foundation);
}

/** The foundation of the nearest construct around this one. */
export function foundationOf(construct: IConstruct): Foundation {
  for (const scope of construct.node.scopes.toReversed()) {
    const foundation = foundations.get(scope);
    if (foundation !== undefined) return foundation;
  }
  throw new Error(`${construct.node.path} is not inside of a CustomersIntegration.`);
}
