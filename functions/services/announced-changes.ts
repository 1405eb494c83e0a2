import type { EventBus } from '../aws/events.ts';
import type { Log } from '../log/log.ts';
import { metricFields } from '../log/metrics.ts';

/**
 * Logs each published change of an organization, with its metric. The function that uses the new key first meets
 * the change in the middle of other work, whose own line of the log says nothing of it.
 *
 * @param functionName Of the function that runs: the dimension of the metric.
 */
export function withLoggedChanges(
  { publish }: EventBus,
  log: Pick<Log, 'warn'>,
  functionName: string,
  now: () => number,
): EventBus {
  return {
    publish: async (event) => {
      await publish(event);
      if (event.kind !== 'organization-changed') return;
      const { kind: _kind, id: _id, ...change } = event;
      const metrics = metricFields({ OrganizationChanges: 1 }, functionName, now());
      log.warn('Organization changed', { ...change, ...metrics });
    },
  };
}
