import { RemovalPolicy } from 'aws-cdk-lib';
import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import {
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  type SubnetSelection,
} from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { ConnectionTable } from '../../../functions/services/connection-settings.ts';
import { SettingError } from '../../../lib/errors.ts';
import { allowServices } from './encryption.ts';
import { layFoundation, type Network } from './foundation.ts';
import { keyMask } from './key-mask.ts';

/** What of your own an integration stands on. */
export interface FoundationProps {
  /**
   * Encrypts the bucket, the table, the queues and the logs; functions may also read secrets that it
   * encrypts. The policy of an imported key must let in what docs/your-own-resources.md lists; that of a
   * key of your app is added to.
   *
   * @default - keys of AWS, at no charge
   */
  readonly encryptionKey?: IKey | undefined;
  /** How long logs are kept. @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * Regular expressions for text that looks like one of your keys. CloudWatch masks it in all logs, besides
   * the headers of keys and `apiKey` with their values. Up to 9, each of 1 to 200 of the characters that
   * CloudWatch takes. `false`: CloudWatch masks nothing.
   *
   * @default - headers and `apiKey` alone
   */
  readonly keyPatterns?: readonly string[] | false | undefined;
  /** Functions run in it; they need a way to AWS and to the API. @default - Lambda's own network */
  readonly vpc?: IVpc | undefined;
  /** Which subnets of `vpc`. @default - its private ones */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** Of the functions, in `vpc`. @default - a new one that lets nothing in and everything out */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /**
   * What becomes of the bucket, the table and the logs that the integration made when it is removed. A
   * bucket with objects is never deleted, whatever this says: CloudFormation refuses.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
}

/** Long enough to look into what an export of last month did; the lines hold no customer data. */
const DEFAULT_LOG_RETENTION = RetentionDays.ONE_MONTH;

/** What the foundation has to know of besides. */
interface Around {
  /** It may be encrypted by another key. */
  readonly bucket?: Bucket | IBucket | undefined;
  /** It may be encrypted by another key. */
  readonly table?: Table | ITable | undefined;
  readonly connectionTable: ConnectionTable;
}

/**
 * Lays the foundation that everything inside of `scope` stands on.
 *
 * @throws SettingError naming the prop that is wrong.
 */
export function layFoundationFrom(scope: Construct, props: FoundationProps & Around): void {
  const { encryptionKey, keyPatterns = [], removalPolicy = RemovalPolicy.RETAIN } = props;
  if (encryptionKey !== undefined) allowServices(scope, encryptionKey);
  layFoundation(scope, {
    encryptionKey,
    keys: {
      s3: props.bucket?.encryptionKey ?? encryptionKey,
      dynamodb: props.table?.encryptionKey ?? encryptionKey,
      sqs: encryptionKey,
      secretsmanager: encryptionKey,
    },
    removalPolicy,
    logRetention: props.logRetention ?? DEFAULT_LOG_RETENTION,
    dataProtection:
      keyPatterns === false ? undefined : keyMask(headersOf(props.connectionTable), keyPatterns),
    network: networkFrom(scope, props),
  });
}

/** In which keys are sent, besides the usual one. */
function headersOf({ defaults, connections }: ConnectionTable): readonly string[] {
  return [defaults, ...Object.values(connections)].flatMap(({ header }) => header ?? []);
}

function networkFrom(scope: Construct, props: FoundationProps): Network | undefined {
  const { vpc, vpcSubnets, securityGroups } = props;
  if (vpc === undefined) {
    const orphan = (['vpcSubnets', 'securityGroups'] as const).find((name) => props[name]);
    if (orphan === undefined) return undefined;
    throw new SettingError(orphan, 'it belongs to a VPC: set vpc too');
  }
  if (securityGroups?.length === 0) {
    throw new SettingError('securityGroups', 'expected one or more, or none of this prop');
  }
  return {
    vpc,
    vpcSubnets,
    securityGroups: securityGroups ?? [
      new SecurityGroup(scope, 'SecurityGroup', {
        vpc,
        description: 'Functions that talk to AWS and to the customers API',
      }),
    ],
  };
}
