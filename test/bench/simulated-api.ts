import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as v from 'valibot';

/** A simulated API without a limit, in a process of its own. */
export interface SimulatedApi {
  readonly url: string;
  /** File of its certificate authority. */
  readonly ca: string;
  readonly stop: () => Promise<void>;
}

export interface ApiOptions {
  readonly customers: number;
  readonly perPage: number;
  /** Time before every answer. @default 0 */
  readonly latencyMs?: number;
  /** Processor that it runs on. @default any */
  readonly processor?: number;
}

const SIMULATOR = new URL('../../infra/local/simulator/main.ts', import.meta.url).pathname;
const AddressSchema = v.object({ url: v.string(), ca: v.string() });

export async function startApi(options: ApiOptions): Promise<SimulatedApi> {
  const { customers, perPage, latencyMs = 0, processor } = options;
  const { CUSTOMERS_API_KEY: _key, ...environment } = process.env;
  const [command, ...args] = [
    ...pinnedTo(processor),
    process.execPath,
    SIMULATOR,
    '--rate=none',
    '--json',
    `--customers=${customers}`,
    `--max-per-page=${perPage}`,
    `--latency=${latencyMs}`,
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env: environment });
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('The simulated API did not start.'))),
  ]);
  const { url, ca } = v.parse(AddressSchema, JSON.parse(String(line)));
  return {
    url,
    ca,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The beginning of a command line whose program shall stay on one processor. */
export function pinnedTo(processor: number | undefined): readonly string[] {
  return processor === undefined ? [] : ['taskset', '--cpu-list', String(processor)];
}
