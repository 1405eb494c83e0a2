import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '../../lib/deferred.ts';
import { SettingError } from '../../lib/errors.ts';
import { groupBy } from '../../lib/group-by.ts';
import { KEY_VARIABLE } from '../command-line/ask-key.ts';
import { diskErrorOf, TEMPORARY } from '../command-line/disk-error.ts';
import { fileProblem } from '../command-line/file-problem.ts';
import { namedByOption } from '../command-line/option-table.ts';
import { shellLine } from '../command-line/words.ts';
import { checkLog, FLIGHT_MS } from './check-log.ts';
import {
  OPTIONS_OF_SETTINGS,
  parseFaultsFile,
  SIMULATOR_OPTIONS,
  type SimulatorCommand,
  simulatorOptionsOf,
} from './command-line.ts';
import { DEMO_KEY, type LoggedChange } from './options.ts';
import type { RequestLogEntry } from './request-log.ts';
import { RESOURCE_NAMES } from './resources.ts';
import { type Simulator, startSimulator } from './simulator.ts';

export interface SimulatorRun {
  /** Where the user's own key is, which is never printed. @default - the demo key */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stop: AbortSignal;
  /** Called once it listens and its files are there. */
  readonly onStarted: (started: StartedSimulator) => void;
  /** Gets a line for each request with `--verbose`, and the summary at the end. */
  readonly note: (line: string) => void;
}

export interface StartedSimulator {
  readonly simulator: Simulator;
  readonly key: string;
  /** File with the certificate of its CA. */
  readonly caFile: string;
}

/**
 * Runs the simulator as a command line says, until it is stopped.
 *
 * @throws SettingError naming an option; DiskError.
 */
export async function runSimulator(
  command: SimulatorCommand,
  program: SimulatorRun,
): Promise<void> {
  try {
    await run(command, program);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw namedByOption(SIMULATOR_OPTIONS, error, OPTIONS_OF_SETTINGS);
  }
}

async function run(command: SimulatorCommand, program: SimulatorRun): Promise<void> {
  const { environment, stop, onStarted, note } = program;
  const key = environment[KEY_VARIABLE] || DEMO_KEY;
  const options = simulatorOptionsOf(command, key);
  const faults = command.faults === undefined ? [] : readFaults(command.faults);
  if (command.log !== undefined) write('--log', command.log, '', appendFileSync);
  if (command.journal !== undefined) write('--journal', command.journal, '', appendFileSync);
  const stopped = deferred<void>();
  if (stop.aborted) stopped.resolve();
  stop.addEventListener('abort', () => stopped.resolve(), { once: true });
  const orStop = (writing: () => void) => {
    try {
      writing();
    } catch (error) {
      stopped.reject(error);
    }
  };
  const simulator = await startSimulator({
    ...options,
    faults,
    onLogged: (entry) => orStop(() => logged(command, entry, note)),
    onChanged: (change) => orStop(() => kept(command, change)),
  });
  let temporary: string | undefined;
  try {
    writeTruth(command, simulator, key);
    if (command.ca === undefined) temporary = temporaryFolder();
    const caFile = command.ca ?? join(temporary ?? '', 'ca.pem');
    write('--ca', caFile, simulator.caPem, writeFileSync);
    onStarted({ simulator, key, caFile });
    await stopped.promise;
    writeTruth(command, simulator, key);
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    await simulator.close();
  }
  note(summaryOf(simulator));
}

function writeTruth({ truth }: SimulatorCommand, simulator: Simulator, key: string): void {
  if (truth === undefined) return;
  for (const resource of RESOURCE_NAMES) {
    const lines = simulator.recordsOf(key, resource, { status: 'all' });
    const text = lines.map((line) => `${line}\n`).join('');
    const file = resource === 'customers' ? truth : `${truth}.${resource}`;
    write('--truth', file, text, writeFileSync);
  }
}

/** What a program needs to use it. */
export function startedForPrograms({ simulator, caFile }: StartedSimulator) {
  return { url: simulator.url, ca: caFile, pid: process.pid };
}

export function startedLines({ simulator, key, caFile }: StartedSimulator): string {
  const { url } = simulator;
  const isDemo = key === DEMO_KEY;
  const keyLine = isDemo ? `  export ${KEY_VARIABLE}=${DEMO_KEY}\n` : '';
  const which = isDemo ? 'the demo key below' : `your key from ${KEY_VARIABLE}`;
  const others = RESOURCE_NAMES.slice(1).join(' and ');
  return `The customers API answers at ${url}/2.0/customers for ${which}, with ${others} beside it.
Its CA certificate is in ${caFile}.

To use it, in another terminal:

  export NODE_EXTRA_CA_CERTS=${shellLine([caFile])}
  export CUSTOMERS_API_URL=${url}
${keyLine}
Ctrl-C ends it.
`;
}

function summaryOf(simulator: Simulator): string {
  const check = checkLog(simulator.log.entries, { flightMs: FLIGHT_MS });
  const ofResources = groupBy(simulator.log.entries, ({ resource = 'other' }) => resource);
  const counts = [...ofResources].map(([resource, entries]) => `${resource} ${entries.length}`);
  const which = counts.length > 1 ? ` (${counts.join(', ')})` : '';
  return `${check.requests} requests${which}, ${check.throttled} throttled, ${check.earlyRequests.length} early.`;
}

function logged(
  { log, verbose }: SimulatorCommand,
  entry: RequestLogEntry,
  note: SimulatorRun['note'],
): void {
  if (log !== undefined) write('--log', log, `${JSON.stringify(entry)}\n`, appendFileSync);
  if (verbose === undefined) return;
  const page = entry.page === undefined ? '' : ` page ${entry.page}`;
  const wait =
    entry.retryAfterSeconds === undefined ? '' : `, retry after ${entry.retryAfterSeconds} s`;
  const fault = entry.fault === undefined ? '' : ` (fault ${entry.fault})`;
  note(`${entry.n} ${entry.method} ${entry.path}${page}: ${entry.status}${wait}${fault}`);
}

function kept({ journal }: SimulatorCommand, change: LoggedChange): void {
  if (journal === undefined) return;
  write('--journal', journal, `${JSON.stringify(change)}\n`, appendFileSync);
}

function readFaults(file: string) {
  try {
    return parseFaultsFile(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof SettingError ? error : fileProblem('--faults', 'read', file, error);
  }
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'customers-api-'));
  } catch (error) {
    throw diskErrorOf(error, tmpdir(), TEMPORARY) ?? error;
  }
}

type Write = (file: string, text: string) => void;

function write(option: string, file: string, text: string, how: Write): void {
  try {
    how(file, text);
  } catch (error) {
    throw diskErrorOf(error, file, option) ?? fileProblem(option, 'write', file, error);
  }
}
