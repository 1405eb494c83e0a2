import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '../../lib/errors.ts';
import { outliveClosedOutput } from '../command-line/closed-output.ts';
import { DiskError, diskErrorOf, TEMPORARY } from '../command-line/disk-error.ts';
import { fileProblem } from '../command-line/file-problem.ts';
import { problemOfOption } from '../command-line/option-table.ts';
import { helpOf } from '../command-line/usage.ts';
import { checkLog, FLIGHT_MS } from './check-log.ts';
import {
  OPTIONS_OF_SETTINGS,
  parseFaultsFile,
  readSimulatorCommand,
  SIMULATOR_OPTIONS,
  SIMULATOR_USAGE,
  type SimulatorCommand,
  simulatorOptionsOf,
} from './command-line.ts';
import { DEMO_KEY, type LoggedChange } from './options.ts';
import { obeyParent } from './parent-channel.ts';
import type { RequestLogEntry } from './request-log.ts';
import { RESOURCE_NAMES, truthFile } from './resources.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const USAGE_ERROR = 2;
const DISK_ERROR = 1;

// What it writes, such as the log, is for this user alone.
process.umask(0o077);
outliveClosedOutput();

try {
  const command = readSimulatorCommand(process.argv.slice(2));
  if (command === 'help') process.stdout.write(helpOf(SIMULATOR_USAGE));
  else await run(command, process.env['CUSTOMERS_API_KEY'] || undefined);
} catch (error) {
  process.exitCode = explain(error);
}

/** Tells a person what is wrong. @returns The exit code. */
function explain(error: unknown): number {
  if (!(error instanceof SettingError || error instanceof DiskError)) throw error;
  const isSetting = error instanceof SettingError;
  const problem = isSetting
    ? problemOfOption(SIMULATOR_OPTIONS, error, OPTIONS_OF_SETTINGS)
    : error.message;
  process.stderr.write(`${problem}\n`);
  return isSetting ? USAGE_ERROR : DISK_ERROR;
}

/** @param ownKey The user's own key, which is never printed. */
async function run(command: SimulatorCommand, ownKey: string | undefined): Promise<void> {
  const key = ownKey ?? DEMO_KEY;
  const options = simulatorOptionsOf(command, key);
  const faults = command.faults === undefined ? [] : readFaults(command.faults);
  if (command.log !== undefined) write('--log', command.log, '', appendFileSync);
  if (command.journal !== undefined) write('--journal', command.journal, '', appendFileSync);
  const stop = Promise.withResolvers<void>();
  const orStop = (writing: () => void) => {
    try {
      writing();
    } catch (error) {
      stop.reject(error);
    }
  };
  const simulator = await startSimulator({
    ...options,
    faults,
    onLogged: (entry) => orStop(() => logged(command, entry)),
    onChanged: (change) => orStop(() => kept(command, change)),
  });
  const writeTruth = () => {
    if (command.truth === undefined) return;
    for (const resource of RESOURCE_NAMES) {
      const lines = simulator.recordsOf(key, resource, { status: 'all' });
      const text = lines.map((line) => `${line}\n`).join('');
      write('--truth', truthFile(command.truth, resource), text, writeFileSync);
    }
  };
  onStopSignal(stop.resolve);
  obeyParent(simulator, key);
  let temporary: string | undefined;
  try {
    writeTruth();
    if (command.ca === undefined) temporary = temporaryFolder();
    const caFile = command.ca ?? join(temporary ?? '', 'ca.pem');
    write('--ca', caFile, simulator.caPem, writeFileSync);
    const { url } = simulator;
    const forPrograms = `${JSON.stringify({ url, ca: caFile, pid: process.pid })}\n`;
    process.stdout.write(command.json ? forPrograms : forPeople(url, caFile, ownKey === undefined));
    await stop.promise;
    writeTruth();
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    await simulator.close();
    if (process.connected) process.disconnect();
  }
  process.stderr.write(summaryOf(simulator));
}

function onStopSignal(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  // Whoever has started it is gone.
  process.once('disconnect', stop);
}

function forPeople(url: string, caFile: string, isDemo: boolean): string {
  const keyLine = isDemo ? `  export CUSTOMERS_API_KEY=${DEMO_KEY}\n` : '';
  const key = isDemo ? 'the demo key below' : 'your key from CUSTOMERS_API_KEY';
  const others = RESOURCE_NAMES.slice(1).join(' and ');
  return `The customers API answers at ${url}/2.0/customers for ${key}, with ${others} beside it.
Its CA certificate is in ${caFile}.

To use it, in another terminal:

  export NODE_EXTRA_CA_CERTS=${quoted(caFile)}
  export CUSTOMERS_API_URL=${url}
${keyLine}
Ctrl-C ends it.
`;
}

/** For a POSIX shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function summaryOf(simulator: Simulator): string {
  const check = checkLog(simulator.log.entries, { flightMs: FLIGHT_MS });
  const ofResources = Map.groupBy(simulator.log.entries, ({ resource = 'other' }) => resource);
  const counts = [...ofResources].map(([resource, entries]) => `${resource} ${entries.length}`);
  const which = counts.length > 1 ? ` (${counts.join(', ')})` : '';
  return `${check.requests} requests${which}, ${check.throttled} throttled, ${check.earlyRequests.length} early.\n`;
}

function logged({ log, verbose }: SimulatorCommand, entry: RequestLogEntry): void {
  if (log !== undefined) write('--log', log, `${JSON.stringify(entry)}\n`, appendFileSync);
  if (verbose === undefined) return;
  const page = entry.page === undefined ? '' : ` page ${entry.page}`;
  const wait =
    entry.retryAfterSeconds === undefined ? '' : `, retry after ${entry.retryAfterSeconds} s`;
  const fault = entry.fault === undefined ? '' : ` (fault ${entry.fault})`;
  process.stderr.write(
    `${entry.n} ${entry.method} ${entry.path}${page}: ${entry.status}${wait}${fault}\n`,
  );
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
