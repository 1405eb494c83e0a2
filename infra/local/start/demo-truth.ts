import type { ExportState } from '../../../lib/exports/export-state.ts';
import { linesIn } from '../../command/download/part-files.ts';
import { checkLog, FLIGHT_MS } from '../../simulator/check-log.ts';
import { ListHistory } from '../../simulator/list-history.ts';
import { DEMO_KEY } from '../../simulator/options.ts';
import type { RequestLogEntry } from '../../simulator/request-log.ts';
import { isResource, selectionOf } from '../../simulator/resources.ts';
import type { Simulator } from '../../simulator/simulator.ts';

/** What only a simulated API can say about a run. */
export interface ApiTruth {
  /** Of the records that a list gets; `undefined`: there is no such resource. */
  historyOf(plan: Pick<ExportState['plan'], 'resource' | 'query'>): ListHistory | undefined;
  earlyRequests(): number;
  /** All of its run, in the order of their arrival. */
  requests(): readonly RequestLogEntry[];
}

export function demoTruth({ log, ...simulator }: Simulator): ApiTruth {
  return {
    requests: () => log.entries,
    historyOf: ({ resource, query }) => {
      if (!isResource(resource)) return undefined;
      const selected = selectionOf(resource, query['status']);
      if ('expected' in selected) return undefined;
      const { selection } = selected;
      const history = simulator.historyOf(DEMO_KEY, resource);
      if (selection === undefined) return history;
      const isSelected = (text: string) => selection.has(JSON.parse(text).status);
      const first = [...history.recordsAt(0)].filter(([, text]) => isSelected(text));
      const changes = simulator
        .changesOf(DEMO_KEY, resource)
        .map(({ text, ...about }) =>
          text !== undefined && isSelected(text) ? { ...about, text } : about,
        );
      return new ListHistory(new Map(first), changes);
    },
    earlyRequests: () => checkLog(log.entries, { flightMs: FLIGHT_MS }).earlyRequests.length,
  };
}

/** The records in the files of an export, by their ids; `undefined` when one is there twice. */
export async function recordsIn(
  files: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const records = new Map<string, string>();
  for (const file of files) {
    for await (const lines of linesIn(file)) {
      for (const text of lines) {
        const id = idIn(text);
        if (records.has(id)) return undefined;
        records.set(id, text);
      }
    }
  }
  return records;
}

/** The simulated API gives the id first. */
function idIn(text: string): string {
  return /^\{"id":"?([^",]+)/.exec(text)?.[1] ?? text;
}
