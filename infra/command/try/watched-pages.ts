import type { ListOutcome } from '../../../lib/customers-api/outcome.ts';
import type { Connections, OpenConnection, PageRequest } from '../../../lib/gate/ports.ts';

export interface AskedPage {
  readonly request: PageRequest;
  readonly outcome: ListOutcome;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** The same connections, which tell of each page that they ask for. */
export function watchedPages(
  connections: Connections<OpenConnection>,
  onAsked: (asked: AskedPage) => void,
  now: () => number,
): Connections<OpenConnection> {
  return {
    open: async (...args) => {
      const opened = await connections.open(...args);
      if (opened.kind === 'no-key') return opened;
      return {
        ...opened,
        listPage: async (request, signal) => {
          const sentAtMs = now();
          const outcome = await opened.listPage(request, signal);
          onAsked({ request, outcome, sentAtMs, answeredAtMs: now() });
          return outcome;
        },
      };
    },
  };
}
