import type { IResource } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { requirePlace } from './foundation/require-place.ts';
import type { CustomersIntegrationProps } from './integration-props.ts';

/** A resource that the user brought in. */
interface Brought {
  readonly resource: IResource | undefined;
  readonly arn: string | undefined;
  /** Whether it must be in the account of the stack, and not in its region alone. */
  readonly isOfAccount?: boolean;
}

/**
 * Functions know a table and a bus by their names, and would find those of the same name in their own account and region,
 * or none. Other regions are closed to the rest of what a user may bring in. What only the deployment knows passes.
 *
 * @throws SettingError naming the prop whose resource is elsewhere.
 */
export function checkPlace(integration: IConstruct, props: CustomersIntegrationProps): void {
  for (const [prop, { resource, arn = '', isOfAccount = false }] of Object.entries(
    brought(props),
  )) {
    // Not every import by an ARN tells the CDK the place that is in it: such a one has that of the importing stack.
    const [, , , region, account] = arn.split(':');
    requirePlace(integration, 'region', prop, [region, resource?.env.region]);
    if (isOfAccount) requirePlace(integration, 'account', prop, [account, resource?.env.account]);
  }
}

function brought({
  bucket,
  table,
  eventBus,
  encryptionKey,
  alarms,
}: CustomersIntegrationProps): Readonly<Record<string, Brought>> {
  const { topic } = alarms || {};
  return {
    bucket: { resource: bucket, arn: bucket?.bucketArn },
    table: { resource: table, arn: table?.tableArn, isOfAccount: true },
    eventBus: { resource: eventBus, arn: eventBus?.eventBusArn, isOfAccount: true },
    encryptionKey: { resource: encryptionKey, arn: encryptionKey?.keyArn },
    'alarms.topic': { resource: topic, arn: topic?.topicArn },
  };
}
