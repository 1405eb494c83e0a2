import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkLog, FLIGHT_MS, type LogCheck } from '../../infra/simulator/check-log.ts';
import type { RequestLogEntry } from '../../infra/simulator/request-log.ts';
import { type ApiProcess, startApi } from './start-api.ts';

/** The simulated API in a process of its own, so that it takes no time of the one that is measured. */
export interface SimulatorProcess extends ApiProcess {
  /** What its log says of the requests so far. */
  log(): Promise<LogCheck>;
  /** JSON text of every customer in the order of the list. */
  truth(): Promise<readonly string[]>;
}

/**
 * @param args Options of `npm run simulator`.
 * @param processor That it runs on. @default any
 */
export async function startSimulatorProcess(
  args: readonly string[],
  processor?: number,
): Promise<SimulatorProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-api-'));
  const file = (name: string) => join(folder, name);
  const files = [`--ca=${file('ca.pem')}`, `--log=${file('log')}`, `--truth=${file('truth')}`];
  const api = await startApi([...args, ...files], processor);
  return {
    ...api,
    log: async () => {
      const entries: RequestLogEntry[] = (await linesOf(file('log'))).map((text) =>
        JSON.parse(text),
      );
      // The log is written as requests end, the check reads them as they began.
      return checkLog(
        entries.sort((a, b) => a.n - b.n),
        { flightMs: FLIGHT_MS },
      );
    },
    truth: () => linesOf(file('truth')),
    stop: async () => {
      await api.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
