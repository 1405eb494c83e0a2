import { Stack } from 'aws-cdk-lib';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import type { IConstruct } from 'constructs';

/**
 * Matches the events of this account that ask this integration for something. Without `account`, whoever a bus
 * policy lets in from elsewhere could ask too.
 *
 * An event that names no integration matches as well: who receives it refuses it with a reason, where
 * EventBridge would drop it in silence.
 */
export function requestedEvents(
  scope: IConstruct,
  integrationId: string,
  { source, detailType }: { readonly source: string; readonly detailType: string },
): EventPattern {
  return {
    account: [Stack.of(scope).account],
    source: [source],
    detailType: [detailType],
    detail: { integration: [integrationId, { exists: false }] },
  };
}
