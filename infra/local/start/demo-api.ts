import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { KEY_VARIABLE } from '../../command-line/ask-key.ts';
import { checkSpace } from '../../command-line/disk-error.ts';
import type { RequestLimit } from '../../report/report-data.ts';
import { DEMO_KEY } from '../../simulator/options.ts';
import { orderOf } from '../../simulator/parent-channel.ts';
import { RESOURCE_NAMES } from '../../simulator/resources.ts';
import { type ApiTruth, demoTruth } from './demo-truth.ts';
import type { StartOptions } from './start-options.ts';

const SIMULATOR = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url));

/** 200 pages of 100 with 20 at once and 25 a second: throttled about ten times, over in half a minute. */
const CUSTOMERS = 20_000;
/** Two exports take no longer than that. */
const CUSTOMERS_TO_CHANGE = 5_000;
const LIMIT = { requestsPerSecond: 25, burst: 20 } as const;
const OPTIONS = [
  '--max-per-page=100',
  `--rate=${LIMIT.requestsPerSecond}`,
  `--burst=${LIMIT.burst}`,
];

/** What is done to each list between two exports: enough to be seen, and far too few removals to be held back. */
const EDIT = { inserts: 25, deletes: 20, updates: 55 } as const;
/** What is done while the second export reads: rows slide to another page every few requests. */
const CHANGE = { everyRequests: 4, inserts: 1, deletes: 1, updates: 2 } as const;

const StartedSchema = v.object({ url: v.string(), ca: v.string() });

export interface ExportedApi {
  readonly baseUrl: string;
  readonly key: string;
  /** Its certificate authority for `NODE_EXTRA_CA_CERTS`. @default - that of the environment */
  readonly caFile?: string;
  /** @default - it says nothing about its run */
  readonly truth?: ApiTruth;
  /** How often it may be asked. @default - not known */
  readonly limit?: Omit<RequestLimit, 'says'>;
  /** Has its lists change, now and while they are read, until they are to stay. @default - they are not ours to change */
  readonly moving?: { begin(): Promise<void>; end(): Promise<void> };
  /** Rejects when it is gone before its time. @default - that is seen by its requests */
  readonly lost?: Promise<never>;
  /** Ends it. @default - it is not ours to end */
  readonly close?: () => Promise<void>;
}

interface DemoOptions extends Pick<StartOptions, 'changes' | 'settings'> {
  readonly demoOptions?: readonly string[] | undefined;
}

/**
 * Starts the simulated API in a process of its own: in this one the engines would delay its answers.
 *
 * @param demoOptions On its command line, in place of its own ones.
 * @throws DiskError when its files cannot be written.
 */
export async function startDemoApi(
  { changes, settings: { header }, demoOptions = [] }: DemoOptions,
  onProcess: (child: ChildProcess) => void,
): Promise<ExportedApi> {
  const directory = await mkdtemp(join(tmpdir(), 'customers-api-'));
  const file = (name: string) => join(directory, name);
  const { [KEY_VARIABLE]: _key, ...environment } = process.env;
  const files = {
    ca: file('ca.pem'),
    log: file('log'),
    truth: file('truth'),
    journal: file('journal'),
  };
  const own = [
    `--customers=${changes ? CUSTOMERS_TO_CHANGE : CUSTOMERS}`,
    ...(header === undefined ? [] : [`--key-header=${header}`]),
  ];
  const names = Object.entries(files).map(([name, path]) => `--${name}=${path}`);
  const nameOf = (given: string) => given.split('=')[0];
  const others = new Set(demoOptions.map(nameOf));
  const ours = [...own, ...OPTIONS, ...names].filter((given) => !others.has(nameOf(given)));
  const args = [...ours, ...demoOptions];
  const child = spawn(process.execPath, [SIMULATOR, '--json', ...args], {
    // It ends when the channel does.
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    env: environment,
  });
  onProcess(child);
  const ended = once(child, 'close');
  const lost = ended.then(async ([code]) => {
    await checkSpace(directory);
    throw new SettingError('The simulated API', `has ended (exit status ${code})`);
  });
  lost.catch(() => undefined);
  const said = once(createInterface({ input: child.stdout ?? Readable.from([]) }), 'line');
  const [line] = await Promise.race([said, lost]);
  const { url, ca } = v.parse(StartedSchema, JSON.parse(String(line)));
  return {
    baseUrl: url,
    key: DEMO_KEY,
    caFile: ca,
    truth: demoTruth(files),
    limit: LIMIT,
    moving: {
      begin: async () => {
        for (const resource of RESOURCE_NAMES) {
          await orderOf(child, { kind: 'edit', resource, edit: EDIT });
        }
        await orderOf(child, { kind: 'change', change: CHANGE });
      },
      end: () => orderOf(child, { kind: 'change', change: null }),
    },
    lost,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}
