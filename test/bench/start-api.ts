import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as v from 'valibot';

const COMMAND = new URL('../../infra/command/main.ts', import.meta.url).pathname;

const AddressSchema = v.object({ url: v.string(), ca: v.string() });

/** An API in a process of its own, so that it takes nothing from what is measured. */
export interface ApiProcess {
  readonly url: string;
  /** File with the certificate of its authority. */
  readonly ca: string;
  readonly stop: () => Promise<void>;
}

/** The beginning of a command line whose program shall stay on one processor. */
export function pinnedTo(processor: number | undefined): readonly string[] {
  return processor === undefined ? [] : ['taskset', '--cpu-list', String(processor)];
}

/**
 * The simulated API.
 *
 * @param args Options of `npm run simulator`, such as `--rate=none`.
 * @param processor That it runs on. @default any
 * @throws Error when it does not start.
 */
export function startApi(args: readonly string[], processor?: number): Promise<ApiProcess> {
  return startServer([COMMAND, 'simulate', '--json', ...args], processor);
}

/**
 * Another API.
 *
 * @param words The file of a program that prints its address and its authority's file as a line of JSON, and its
 *   arguments.
 * @param processor That it runs on. @default any
 * @throws Error when it does not start.
 */
export async function startServer(
  words: readonly string[],
  processor?: number,
): Promise<ApiProcess> {
  const { CUSTOMERS_API_KEY: _key, ...env } = process.env;
  const program = [process.execPath, ...words];
  const [command = process.execPath, ...rest] = [...pinnedTo(processor), ...program];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'], env });
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error(`${words[0]} did not start.`))),
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
