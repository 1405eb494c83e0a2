import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { checkLog, FLIGHT_MS } from '../../simulator/check-log.ts';
import { DEMO_KEY } from '../../simulator/options.ts';
import type { RequestLogEntry } from '../../simulator/request-log.ts';
import { KEY_VARIABLE } from './ask-key.ts';

const SIMULATOR = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url));

/** 200 pages of 100 with 20 at once and 25 a second: throttled about ten times, over in half a minute. */
const OPTIONS = ['--customers=20000', '--max-per-page=100', '--rate=25', '--burst=20'];

const StartedSchema = v.object({ url: v.string(), ca: v.string() });

/** The simulated API of a run without `--base-url`, and what it knows of the run afterwards. */
export interface DemoApi {
  readonly baseUrl: string;
  readonly key: string;
  /** Where its certificate authority is, for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string;
  /** JSON text of every customer, in the order of the list. */
  readonly customers: () => Promise<readonly string[]>;
  readonly earlyRequests: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Starts it in a process of its own: beside the stack's engines its clock would be theirs. */
export async function startDemoApi(): Promise<DemoApi> {
  const directory = await mkdtemp(join(tmpdir(), 'customers-api-'));
  const file = (name: string) => join(directory, name);
  const { [KEY_VARIABLE]: _key, ...environment } = process.env;
  const files = ['--ca', file('ca.pem'), '--log', file('log'), '--truth', file('truth')];
  const child = spawn(process.execPath, [SIMULATOR, '--json', ...OPTIONS, ...files], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environment,
  });
  const ended = once(child, 'close');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, ca } = v.parse(StartedSchema, JSON.parse(String(line)));
  return {
    baseUrl: url,
    key: DEMO_KEY,
    caFile: ca,
    customers: () => linesOf(file('truth')),
    earlyRequests: async () => {
      const entries: RequestLogEntry[] = (await linesOf(file('log'))).map((text) =>
        JSON.parse(text),
      );
      // The log is written as requests end, the check reads them as they began.
      const inOrder = entries.sort((a, b) => a.n - b.n);
      return checkLog(inOrder, { flightMs: FLIGHT_MS }).earlyRequests.length;
    },
    close: async () => {
      child.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
