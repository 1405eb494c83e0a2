import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { checkSpace, TEMPORARY } from '../../command-line/disk-error.ts';
import { checkLog, FLIGHT_MS } from '../../simulator/check-log.ts';
import { DEMO_KEY } from '../../simulator/options.ts';
import type { RequestLogEntry } from '../../simulator/request-log.ts';
import { isResource, selectionOf, truthFile } from '../../simulator/resources.ts';
import { KEY_VARIABLE } from './ask-key.ts';
import type { RunExport, RunFindings } from './run-result.ts';

const SIMULATOR = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url));

/** 200 pages of 100 with 20 at once and 25 a second: throttled about ten times, over in half a minute. */
const OPTIONS = ['--customers=20000', '--max-per-page=100', '--rate=25', '--burst=20'];

const StartedSchema = v.object({ url: v.string(), ca: v.string() });

/** The API that is exported. */
export interface ExportedApi {
  readonly baseUrl: string;
  readonly key: string;
  /** Its certificate authority for `NODE_EXTRA_CA_CERTS`. @default - that of the environment */
  readonly caFile?: string;
  /** What only a simulated API can say about its run. */
  readonly truth?: {
    /** JSON text of every record that a list gets, in order; `undefined`: it has no such resource. */
    recordsOf(
      plan: Pick<ExportState['plan'], 'resource' | 'query'>,
    ): Promise<readonly string[] | undefined>;
    earlyRequests(): Promise<number>;
  };
  /** Rejects when it is gone before its time. @default - that is seen by its requests */
  readonly lost?: Promise<never>;
  /** Ends it. @default - it is not ours to end */
  readonly close?: () => Promise<void>;
}

/**
 * Starts the simulated API in a process of its own: in this one the engines would delay its answers.
 *
 * @param onProcess Gets the process.
 * @throws DiskError when its files cannot be written.
 */
export async function startDemoApi(onProcess: (child: ChildProcess) => void): Promise<ExportedApi> {
  const directory = await mkdtemp(join(tmpdir(), 'customers-api-'));
  const file = (name: string) => join(directory, name);
  const { [KEY_VARIABLE]: _key, ...environment } = process.env;
  const files = ['--ca', file('ca.pem'), '--log', file('log'), '--truth', file('truth')];
  const child = spawn(process.execPath, [SIMULATOR, '--json', ...OPTIONS, ...files], {
    // It ends when the channel does.
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    env: environment,
  });
  onProcess(child);
  const ended = once(child, 'close');
  const lost = ended.then(async ([code]) => {
    await checkSpace(directory, TEMPORARY);
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
    truth: {
      recordsOf: (plan) => recordsOf(file('truth'), plan),
      earlyRequests: async () => {
        const log = await linesOf(file('log'));
        const entries = log.map((text): RequestLogEntry => JSON.parse(text));
        // The log is written as requests end, the check reads them as they began.
        const inOrder = entries.sort((a, b) => a.n - b.n);
        return checkLog(inOrder, { flightMs: FLIGHT_MS }).earlyRequests.length;
      },
    },
    lost,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

async function recordsOf(
  customersFile: string,
  { resource, query }: Pick<ExportState['plan'], 'resource' | 'query'>,
): Promise<readonly string[] | undefined> {
  if (!isResource(resource)) return undefined;
  const selected = selectionOf(resource, query['status']);
  if ('expected' in selected) return undefined;
  const { selection } = selected;
  const records = await linesOf(truthFile(customersFile, resource));
  return selection === undefined
    ? records
    : records.filter((record) => selection.has(JSON.parse(record).status));
}

/** What only a simulated API knows about a run. */
export async function seenByApi(
  exports: readonly RunExport[],
  { truth }: ExportedApi,
): Promise<Pick<RunFindings, 'earlyRequests' | 'exports'>> {
  if (truth === undefined) return { exports };
  const compared = exports.map(async (each) => {
    const { state, manifest, partFiles } = each;
    const records = state && manifest && (await truth.recordsOf(state.plan));
    return records === undefined ? each : { ...each, matchesApi: await hold(partFiles, records) };
  });
  return { earlyRequests: await truth.earlyRequests(), exports: await Promise.all(compared) };
}

/** Whether the files hold these records and no others, in order. */
async function hold(files: readonly string[], records: readonly string[]): Promise<boolean> {
  let at = 0;
  for (const file of files) {
    const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) });
    for await (const line of lines) if (line !== records[at++]) return false;
  }
  return at === records.length;
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
