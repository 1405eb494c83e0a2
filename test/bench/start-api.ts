import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as v from 'valibot';

const SIMULATOR = new URL('../../infra/local/simulator/main.ts', import.meta.url).pathname;

const AddressSchema = v.object({ url: v.string(), ca: v.string() });

/** The simulated API in a process of its own, so that it takes nothing from what is measured. */
export interface ApiProcess {
  readonly url: string;
  /** File with the certificate of its authority. */
  readonly ca: string;
  readonly stop: () => Promise<void>;
}

/**
 * @param args Options of `npm run simulator`, such as `--rate=none`.
 * @throws Error when it does not start.
 */
export async function startApi(args: readonly string[]): Promise<ApiProcess> {
  const { CUSTOMERS_API_KEY: _key, ...environment } = process.env;
  const child = spawn(process.execPath, [SIMULATOR, '--json', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environment,
  });
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
