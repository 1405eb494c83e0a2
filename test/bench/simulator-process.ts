import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import { checkLog, FLIGHT_MS, type LogCheck } from '../../infra/local/simulator/check-log.ts';
import type { RequestLogEntry } from '../../infra/local/simulator/request-log.ts';

const SIMULATOR = new URL('../../infra/local/simulator/main.ts', import.meta.url).pathname;
const AddressSchema = v.object({ url: v.string(), ca: v.string() });

/** The simulated API in a process of its own, so that it takes no time of the one that is measured. */
export interface SimulatorProcess {
  readonly url: string;
  /** File of its certificate authority, for `NODE_EXTRA_CA_CERTS`. */
  readonly ca: string;
  /** What its log says of the requests so far. */
  log(): Promise<LogCheck>;
  /** JSON text of every customer in the order of the list. */
  truth(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** The beginning of a command line whose program shall stay on one processor. */
export function pinnedTo(processor: number | undefined): readonly string[] {
  return processor === undefined ? [] : ['taskset', '--cpu-list', String(processor)];
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
  const { CUSTOMERS_API_KEY: _key, ...env } = process.env;
  const files = [`--ca=${file('ca.pem')}`, `--log=${file('log')}`, `--truth=${file('truth')}`];
  const program = [process.execPath, SIMULATOR, '--json', ...args, ...files];
  const [command = process.execPath, ...rest] = [...pinnedTo(processor), ...program];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'], env });
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('The simulated API did not start.'))),
  ]);
  const { url, ca } = v.parse(AddressSchema, JSON.parse(String(line)));
  return {
    url,
    ca,
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
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
