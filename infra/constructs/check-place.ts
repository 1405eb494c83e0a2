import type { ResourceEnvironment } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { requirePlace } from './foundation/require-place.ts';
import type { CustomersIntegrationProps } from './integration-props.ts';

/** Resources that the user brought in by one prop. */
interface Brought {
  readonly resources: readonly ({ readonly env: ResourceEnvironment } | undefined)[];
  /** If it tells the place. */
  readonly arn?: string | undefined;
  /** Whether it must be in the account of the stack, and not in its region alone. */
  readonly isOfAccount?: boolean;
}

/**
 * Functions know a table and a bus by their names, and would find those of the same name in their own account and region,
 * or none. The rest may be of another account that allows it (docs/your-own-resources.md), such as the shared subnets of
 * a VPC, but other regions are closed to it too. What only the deployment knows passes.
 *
 * @throws SettingError naming the prop whose resource is elsewhere.
 */
export function checkPlace(integration: IConstruct, props: CustomersIntegrationProps): void {
  for (const [prop, { resources, arn = '', isOfAccount = false }] of Object.entries(
    brought(props),
  )) {
    // Not every import by an ARN tells the CDK the place that is in it: such a one has that of the importing stack.
    const [, , , region, account] = arn.split(':');
    for (const resource of resources) {
      requirePlace(integration, 'region', prop, [region, resource?.env.region]);
      if (isOfAccount) requirePlace(integration, 'account', prop, [account, resource?.env.account]);
    }
  }
}

function brought(props: CustomersIntegrationProps): Readonly<Record<string, Brought>> {
  const { bucket, table, eventBus, encryptionKey, vpc, vpcSubnets, securityGroups = [] } = props;
  const { topic } = props.alarms || {};
  return {
    bucket: { resources: [bucket], arn: bucket?.bucketArn },
    table: { resources: [table], arn: table?.tableArn, isOfAccount: true },
    eventBus: { resources: [eventBus], arn: eventBus?.eventBusArn, isOfAccount: true },
    encryptionKey: { resources: [encryptionKey], arn: encryptionKey?.keyArn },
    // The ARN of an imported VPC has the region of the importing stack, also where another one was given.
    vpc: { resources: [vpc] },
    vpcSubnets: { resources: vpcSubnets?.subnets ?? [] },
    securityGroups: { resources: securityGroups },
    'alarms.topic': { resources: [topic], arn: topic?.topicArn },
  };
}
