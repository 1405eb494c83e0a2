import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { createEventBus, type EventBus } from '../aws/events.ts';
import { readVariable } from './environment.ts';

/**
 * The bus that the stack publishes to.
 *
 * @throws SettingError naming the variable that is wrong.
 */
export function openEventBus(): EventBus {
  const client = new EventBridgeClient(CLIENT_SETTINGS);
  return createEventBus(client, readVariable('eventBus'), readVariable('integrationId'));
}
