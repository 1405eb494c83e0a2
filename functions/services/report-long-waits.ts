import { defined } from '../../lib/defined.ts';
import { isoTime } from '../../lib/exports/bounds.ts';
import type { Gates } from '../../lib/gate/ports.ts';
import type { Log } from '../middleware/log.ts';
import { metricFields } from '../middleware/metrics.ts';

interface Reporting {
  /** The longest wait that is sat out, of a connection. */
  readonly maxWaitSecondsOf: (connection: string) => number;
  readonly now: () => number;
  readonly log: Log;
  readonly functionName: string;
}

/**
 * Gates that report a wait longer than anybody sits out, whoever was told of it: an export ends, but live reads and
 * writes would only wait.
 */
export function reportLongWaits<Watched extends Gates>(
  gates: Watched,
  { maxWaitSecondsOf, now, log, functionName }: Reporting,
): Watched {
  return {
    ...gates,
    blockUntil: async (connection, untilMs, waitAsSent) => {
      const isRaised = await gates.blockUntil(connection, untilMs, waitAsSent);
      const nowMs = now();
      if (isRaised && untilMs - nowMs > maxWaitSecondsOf(connection) * 1000) {
        log.error('Wait too long', {
          connection,
          until: isoTime(untilMs),
          ...defined({ waitAsSent }),
          ...metricFields({ WaitsTooLong: 1 }, functionName, nowMs),
        });
      }
      return isRaised;
    },
  };
}
