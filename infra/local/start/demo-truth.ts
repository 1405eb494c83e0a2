import { readFile } from 'node:fs/promises';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { linesIn } from '../../command/download/part-files.ts';
import { checkLog, FLIGHT_MS } from '../../simulator/check-log.ts';
import { ListHistory } from '../../simulator/list-history.ts';
import type { LoggedChange } from '../../simulator/options.ts';
import type { RequestLogEntry } from '../../simulator/request-log.ts';
import { isResource, selectionOf, truthFile } from '../../simulator/resources.ts';

/** What only a simulated API can say about a run. */
export interface ApiTruth {
  /** Of the records that a list gets; `undefined`: there is no such resource. */
  historyOf(
    plan: Pick<ExportState['plan'], 'resource' | 'query'>,
  ): Promise<ListHistory | undefined>;
  earlyRequests(): Promise<number>;
  /** All of its run, in the order of their arrival. */
  requests(): Promise<readonly RequestLogEntry[]>;
}

/** The files that a simulated API writes while it runs. */
interface TruthFiles {
  /** Every request, one a line. */
  readonly log: string;
  /** Every customer as it was at the start; other lists beside it. */
  readonly truth: string;
  /** Every change since then. */
  readonly journal: string;
}

export function demoTruth({ log, truth, journal }: TruthFiles): ApiTruth {
  // The log is written as requests end.
  const requests = async () => {
    const entries = (await linesOf(log)).map((line): RequestLogEntry => JSON.parse(line));
    return entries.sort((a, b) => a.n - b.n);
  };
  return {
    requests,
    historyOf: async ({ resource, query }) => {
      if (!isResource(resource)) return undefined;
      const selected = selectionOf(resource, query['status']);
      if ('expected' in selected) return undefined;
      const { selection } = selected;
      const isSelected = (text: string) =>
        selection === undefined || selection.has(JSON.parse(text).status);
      const records = (await linesOf(truthFile(truth, resource))).filter(isSelected);
      const changes = (await linesOf(journal))
        .map((line): LoggedChange => JSON.parse(line))
        .filter((change) => change.resource === resource)
        .map(({ text, ...about }) =>
          text !== undefined && isSelected(text) ? { ...about, text } : about,
        );
      return new ListHistory(new Map(records.map((text) => [idIn(text), text])), changes);
    },
    earlyRequests: async () =>
      checkLog(await requests(), { flightMs: FLIGHT_MS }).earlyRequests.length,
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

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
