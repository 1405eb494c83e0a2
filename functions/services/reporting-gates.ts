import { defined } from '../../lib/defined.ts';
import { isoTime } from '../../lib/exports/bounds.ts';
import type { Gates } from '../../lib/gate/ports.ts';
import { errorFields, type Log } from '../log/log.ts';

interface Reporting {
  /** The longest wait that is sat out, of a connection. */
  readonly maxWaitSecondsOf: (connection: string) => number;
  readonly now: () => number;
  readonly log: Log;
}

/** Gates that report what no request fails by. */
export function reportingGates<Watched extends Gates>(
  gates: Watched,
  reporting: Reporting,
): Watched {
  const { maxWaitSecondsOf, now, log } = reporting;
  return {
    ...gates,
    // Longer than anybody sits it out, whoever was told: an export ends, but live reads and writes would only wait.
    blockUntil: async (connection, untilMs, waitAsSent) => {
      const isRaised = await gates.blockUntil(connection, untilMs, waitAsSent);
      if (isRaised && untilMs - now() > maxWaitSecondsOf(connection) * 1000) {
        const facts = { connection, until: isoTime(untilMs), ...defined({ waitAsSent }) };
        log.error('Wait too long', facts, { WaitsTooLong: 1 });
      }
      return isRaised;
    },
    // By who stored it, whether or not the event bus takes the event. Whoever meets a change is in the middle of other
    // work, whose own line of the log says nothing of it.
    replaceOrganization: async (connection, next, seen) => {
      const { id: organizationId, unannounced, writeToken } = next;
      const isStored = await gates.replaceOrganization(connection, next, seen);
      if (unannounced === undefined || organizationId === seen?.id) return isStored;
      // The answer to a write that was made may have been lost.
      const after = isStored || (await gates.read(connection)).organization?.writeToken;
      if (after !== true && after !== writeToken) return false;
      const { previousId: previousOrganizationId, ...change } = unannounced;
      const facts = { connection, organizationId, previousOrganizationId, ...change };
      log.warn('Organization changed', facts, { OrganizationChanges: 1 });
      return true;
    },
    // The request is sent without a place.
    changePlaces: (connection, change) =>
      gates.changePlaces(connection, change).catch((error: unknown) => {
        log.warn('No place', { connection, ...errorFields(error) });
        throw error;
      }),
    storePace: (connection, ...pace) =>
      gates.storePace(connection, ...pace).catch(unremembered(connection)),
    storeSample: (connection, ...sample) =>
      gates.storeSample(connection, ...sample).catch(unremembered(connection)),
  };

  /** It is learned again. */
  function unremembered(connection: string) {
    return (error: unknown) => {
      log.warn('Not remembered', { connection, ...errorFields(error) });
      throw error;
    };
  }
}
