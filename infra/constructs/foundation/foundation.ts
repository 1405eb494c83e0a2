import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { DataProtectionPolicy, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IConstruct } from 'constructs';

/** What everything in an integration stands on. */
export interface Foundation {
  /** Encrypts what is made; `undefined`: keys of AWS do. */
  readonly encryptionKey: IKey | undefined;
  /** What roles need to use, by the service that asks KMS for them. */
  readonly keys: KeysByService;
  /** Of what holds data: bucket, table and logs. */
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /** Masks text in logs that looks like a key; `undefined`: nothing does. */
  readonly dataProtection: DataProtectionPolicy | undefined;
  /** `undefined`: functions run in Lambda's own network. */
  readonly network: Network | undefined;
}

export type KeysByService = Readonly<
  Record<'s3' | 'sqs' | 'dynamodb' | 'secretsmanager', IKey | undefined>
>;

/** Where functions run. */
export interface Network {
  readonly vpc: IVpc;
  readonly vpcSubnets: SubnetSelection | undefined;
  readonly securityGroups: readonly ISecurityGroup[];
}

const foundations = new WeakMap<IConstruct, Foundation>();

/** Puts everything inside of `scope` on a foundation: what forgets to ask for it cannot be made. */
export function layFoundation(scope: IConstruct, foundation: Foundation): void {
  foundations.set(scope, foundation);
}

/** The foundation that a construct stands on: that of the nearest construct around it. */
export function foundationOf(construct: IConstruct): Foundation {
  for (const scope of construct.node.scopes.toReversed()) {
    const foundation = foundations.get(scope);
    if (foundation !== undefined) return foundation;
  }
  throw new Error(`${construct.node.path} is not inside of a CustomersIntegration.`);
}
