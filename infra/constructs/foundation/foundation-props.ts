import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ITable, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  type SelectedSubnets,
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

/** Your own resources and settings for the whole integration. */
export interface FoundationProps {
  /**
   * Encrypts the bucket, the table, the queues and the logs; functions may also read secrets that it encrypts.
   * The policy of an imported key must have the statements in docs/your-own-resources.md; the policy of a key
   * of your app is extended.
   *
   * @default - keys of AWS, free of charge
   */
  readonly encryptionKey?: IKey | undefined;
  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * Regular expressions for text that looks like one of your keys. CloudWatch masks it in all logs, like the
   * headers of keys and `apiKey` with their values. Up to 9, each of 1 to 200 characters that CloudWatch
   * supports. `false`: CloudWatch masks nothing.
   *
   * @default - headers and `apiKey` alone
   */
  readonly keyPatterns?: readonly string[] | false | undefined;
  /** The VPC of the functions; it needs a route to AWS and to the API. @default - Lambda's own network */
  readonly vpc?: IVpc | undefined;
  /** Subnets of `vpc`. @default - its private ones; without any, its isolated ones, and a warning */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** Security groups of the functions. @default - a new one without inbound and with all outbound traffic */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /**
   * For its bucket, table and logs. CloudFormation never deletes a bucket that has objects.
   *
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE: they stay, unless the deployment that makes them fails
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
}

/** Long enough to investigate an export of last month; the lines hold no customer data. */
const DEFAULT_LOG_RETENTION = RetentionDays.ONE_MONTH;

const KEY_EXPECTED =
  'expected a key, such as Key.fromKeyArn(…) or Key.fromLookup(…), got an alias, by which a policy names no key';

const PRIVATE_EXPECTED = 'expected private subnets with a NAT gateway';
const NETWORK_PAGE = 'docs/your-own-resources.md, "Network"';

const NO_WAY_OUT = `vpc: it has no private subnets, and from isolated ones functions reach neither the API nor AWS. Expected a VPC with private subnets and a NAT gateway; or set vpcSubnets, if isolated ones have a peering with the API and the endpoints of ${NETWORK_PAGE}.`;

const PUBLIC = `${PRIVATE_EXPECTED}, got public ones, such as all of the default VPC of an account: in them functions have no public address, so they reach neither the API nor AWS. Give others, or leave vpc out, for the network of Lambda: ${NETWORK_PAGE}`;

const NONE_KNOWN = `${PRIVATE_EXPECTED}, got no subnets: where the VPC is imported, name them there or by vpcSubnets: ${NETWORK_PAGE}`;

const NO_KEY_IN_CHINA =
  'in China services have other names in conditions, so no function could use it. Leave it out, for the keys of AWS';

interface Around {
  readonly bucket?: Bucket | IBucket | undefined;
  readonly table?: Table | TableV2 | ITable | undefined;
  readonly connectionTable: ConnectionTable;
}

/** Sets the foundation of all constructs inside `scope`. @throws SettingError naming the prop that is wrong. */
export function layFoundationFrom(scope: Construct, props: FoundationProps & Around): void {
  const {
    encryptionKey,
    keyPatterns = [],
    removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  } = props;
  requireKeys(scope, props);
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

/**
 * An alias has an ARN too, but neither a policy of a role nor CloudWatch Logs takes it for that of a key. In China the
 * conditions of `allowKeys` would never hold.
 */
function requireKeys(
  scope: Construct,
  { encryptionKey, bucket, table }: FoundationProps & Around,
): void {
  const { region } = Stack.of(scope);
  const keys = {
    encryptionKey,
    'bucket.encryptionKey': bucket?.encryptionKey,
    'table.encryptionKey': table?.encryptionKey,
  };
  for (const [place, key] of Object.entries(keys)) {
    if (key === undefined) continue;
    if ('aliasName' in key) throw new SettingError(place, KEY_EXPECTED);
    if (region.startsWith('cn-')) {
      throw new SettingError(place, `expected none in the region ${region}: ${NO_KEY_IN_CHINA}`);
    }
  }
}

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
  requireSubnets(vpc, vpcSubnets);
  if (vpcSubnets === undefined && vpc.privateSubnets.length === 0) {
    Annotations.of(scope).addWarningV2('customers-functions:vpc', NO_WAY_OUT);
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

/** The CDK refuses these too, in words about props of a function that nobody can set here. */
function requireSubnets(vpc: IVpc, selection: SubnetSelection | undefined): void {
  const place = selection === undefined ? 'vpc' : 'vpcSubnets';
  const { subnetIds, isPendingLookup } = selectedSubnets(vpc, selection);
  const publicIds = vpc.publicSubnets.map(({ subnetId }) => subnetId);
  // What a lookup will find is not known before it.
  if (isPendingLookup) return;
  if (subnetIds.length === 0) throw new SettingError(place, 'expected one or more subnets of vpc');
  if (subnetIds.some((id) => publicIds.includes(id))) throw new SettingError(place, PUBLIC);
}

function selectedSubnets(vpc: IVpc, selection: SubnetSelection | undefined): SelectedSubnets {
  try {
    return vpc.selectSubnets(selection);
  } catch (error) {
    if (selection === undefined) throw new SettingError('vpc', NONE_KNOWN);
    const why = error instanceof Error ? `: ${error.message}` : '';
    throw new SettingError('vpcSubnets', `expected a selection of subnets of vpc${why}`);
  }
}
