import type { EventBus } from '../aws/events.ts';
import type { Log } from '../log/log.ts';

/**
 * Logs each published change of an organization, with its metric. The function that uses the new key first meets
 * the change in the middle of other work, whose own line of the log says nothing of it.
 */
export function withLoggedChanges({ publish }: EventBus, log: Pick<Log, 'warn'>): EventBus {
  return {
    publish: async (event) => {
      await publish(event);
      if (event.kind !== 'organization-changed') return;
      const { kind: _kind, id: _id, ...change } = event;
      log.warn('Organization changed', change, { OrganizationChanges: 1 });
    },
  };
}
