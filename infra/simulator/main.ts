import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingError } from '../../lib/errors.ts';
import { outliveClosedOutput } from '../command-line/closed-output.ts';
import { fileProblem } from '../command-line/file-problem.ts';
import { problemOfOption } from '../command-line/option-table.ts';
import { checkLog, FLIGHT_MS } from './check-log.ts';
import {
  HELP,
  OPTIONS_OF_SETTINGS,
  parseFaultsFile,
  readSimulatorCommand,
  SIMULATOR_OPTIONS,
  type SimulatorCommand,
  simulatorOptionsOf,
} from './command-line.ts';
import { DEMO_KEY } from './options.ts';
import type { RequestLogEntry } from './request-log.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const USAGE_ERROR = 2;

outliveClosedOutput();

try {
  const command = readSimulatorCommand(process.argv.slice(2));
  if (command === 'help') process.stdout.write(HELP);
  else await run(command, process.env['CUSTOMERS_API_KEY'] || undefined);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${problemOfOption(SIMULATOR_OPTIONS, error, OPTIONS_OF_SETTINGS)}\n`);
  process.exitCode = USAGE_ERROR;
}

/** @param ownKey The user's own key, which is never printed. */
async function run(command: SimulatorCommand, ownKey: string | undefined): Promise<void> {
  const key = ownKey ?? DEMO_KEY;
  const options = simulatorOptionsOf(command, key);
  const faults = command.faults === undefined ? [] : readFaults(command.faults);
  if (command.log !== undefined) write('--log', command.log, '', appendFileSync);
  const onLogged = (entry: RequestLogEntry) => logged(command, entry);
  const simulator = await startSimulator({ ...options, faults, onLogged });
  const writeTruth = () => {
    if (command.truth === undefined) return;
    const lines = simulator.customersOf(key).map((text) => `${text}\n`);
    write('--truth', command.truth, lines.join(''), writeFileSync);
  };
  const stopped = stopSignal();
  const temporary = command.ca === undefined ? mkdtempSync(join(tmpdir(), 'customers-api-')) : '';
  try {
    writeTruth();
    const caFile = command.ca ?? join(temporary, 'ca.pem');
    write('--ca', caFile, simulator.caPem, writeFileSync);
    const { url } = simulator;
    const forPrograms = `${JSON.stringify({ url, ca: caFile, pid: process.pid })}\n`;
    process.stdout.write(command.json ? forPrograms : forPeople(url, caFile, ownKey === undefined));
    await stopped;
    writeTruth();
  } finally {
    if (temporary !== '') rmSync(temporary, { recursive: true, force: true });
    await simulator.close();
  }
  process.stderr.write(summaryOf(simulator));
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function forPeople(url: string, caFile: string, isDemo: boolean): string {
  const keyLine = isDemo ? `  export CUSTOMERS_API_KEY=${DEMO_KEY}\n` : '';
  const key = isDemo ? 'the demo key below' : 'your key from CUSTOMERS_API_KEY';
  return `The customers API answers at ${url}/2.0/customers for ${key}.
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
  return `${check.requests} requests, ${check.throttled} throttled, ${check.earlyRequests.length} early.\n`;
}

function logged({ log, verbose }: SimulatorCommand, entry: RequestLogEntry): void {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`);
  if (verbose === undefined) return;
  const page = entry.page === undefined ? '' : ` page ${entry.page}`;
  const wait =
    entry.retryAfterSeconds === undefined ? '' : `, retry after ${entry.retryAfterSeconds} s`;
  const fault = entry.fault === undefined ? '' : ` (fault ${entry.fault})`;
  process.stderr.write(
    `${entry.n} ${entry.method} ${entry.path}${page}: ${entry.status}${wait}${fault}\n`,
  );
}

function readFaults(file: string) {
  try {
    return parseFaultsFile(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof SettingError ? error : fileProblem('--faults', 'read', file, error);
  }
}

type Write = (file: string, text: string) => void;

function write(option: string, file: string, text: string, how: Write): void {
  try {
    how(file, text);
  } catch (error) {
    throw fileProblem(option, 'write', file, error);
  }
}
