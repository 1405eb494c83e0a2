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
  parseSimulatorRun,
  SIMULATOR_OPTIONS,
  type SimulatorRun,
} from './command-line.ts';
import { DEMO_KEY } from './options.ts';
import type { RequestLogEntry } from './request-log.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const USAGE_ERROR = 2;

outliveClosedOutput();

try {
  const command = parseSimulatorRun(process.argv.slice(2), process.env['CUSTOMERS_API_KEY']);
  if (command === 'help') process.stdout.write(HELP);
  else await run(command);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${problemOfOption(SIMULATOR_OPTIONS, error, OPTIONS_OF_SETTINGS)}\n`);
  process.exitCode = USAGE_ERROR;
}

async function run(command: SimulatorRun): Promise<void> {
  const faults = command.faultsFile === undefined ? [] : readFaults(command.faultsFile);
  if (command.logFile !== undefined) write('--log', command.logFile, '', appendFileSync);
  const simulator = await startSimulator({
    ...command.options,
    faults,
    onLogged: (entry) => logged(command, entry),
  });
  const stopped = stopSignal();
  const temporary =
    command.caFile === undefined ? mkdtempSync(join(tmpdir(), 'customers-api-')) : '';
  try {
    writeTruth(command, simulator);
    const caFile = command.caFile ?? join(temporary, 'ca.pem');
    write('--ca', caFile, simulator.caPem, writeFileSync);
    const { json } = command;
    const text = json ? forPrograms(simulator, caFile) : forPeople(command, simulator, caFile);
    process.stdout.write(text);
    await stopped;
    writeTruth(command, simulator);
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

function forPrograms(simulator: Simulator, caFile: string): string {
  return `${JSON.stringify({ url: simulator.url, ca: caFile, pid: process.pid })}\n`;
}

function forPeople(command: SimulatorRun, simulator: Simulator, caFile: string): string {
  const keyLine = command.key === 'demo' ? `  export CUSTOMERS_API_KEY=${DEMO_KEY}\n` : '';
  const key = command.key === 'demo' ? 'the demo key below' : 'your key from CUSTOMERS_API_KEY';
  return `The customers API answers at ${simulator.url}/2.0/customers for ${key}.
Its CA certificate is in ${caFile}.

To use it, in another terminal:

  export NODE_EXTRA_CA_CERTS=${quoted(caFile)}
  export CUSTOMERS_API_URL=${simulator.url}
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

function logged(command: SimulatorRun, entry: RequestLogEntry): void {
  if (command.logFile !== undefined) appendFileSync(command.logFile, `${JSON.stringify(entry)}\n`);
  if (!command.verbose) return;
  const page = entry.page === undefined ? '' : ` page ${entry.page}`;
  const wait =
    entry.retryAfterSeconds === undefined ? '' : `, retry after ${entry.retryAfterSeconds} s`;
  const fault = entry.fault === undefined ? '' : ` (fault ${entry.fault})`;
  process.stderr.write(
    `${entry.n} ${entry.method} ${entry.path}${page}: ${entry.status}${wait}${fault}\n`,
  );
}

function writeTruth(command: SimulatorRun, simulator: Simulator): void {
  const [organization] = command.options.organizations ?? [];
  if (command.truthFile === undefined || organization === undefined) return;
  const lines = simulator.customersOf(organization.key).map((text) => `${text}\n`);
  write('--truth', command.truthFile, lines.join(''), writeFileSync);
}

function readFaults(file: string) {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fileProblem('--faults', 'read', file, error);
  }
  return parseFaultsFile(text);
}

function write(
  option: string,
  file: string,
  text: string,
  how: (file: string, text: string) => void,
): void {
  try {
    how(file, text);
  } catch (error) {
    throw fileProblem(option, 'write', file, error);
  }
}
