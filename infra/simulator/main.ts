import { SettingError } from '../../lib/errors.ts';
import { outliveClosedOutput } from '../command-line/closed-output.ts';
import { DiskError } from '../command-line/disk-error.ts';
import { heedSignals } from '../command-line/heed-signals.ts';
import { unforeseen } from '../command-line/printable.ts';
import { helpOf } from '../command-line/usage.ts';
import { readSimulatorCommand, SIMULATOR_USAGE, type SimulatorCommand } from './command-line.ts';
import {
  runSimulator,
  type StartedSimulator,
  startedForPrograms,
  startedLines,
} from './run-simulator.ts';

const USAGE_ERROR = 2;
const FAILED = 1;

// What it writes, such as the log, is for this user alone.
process.umask(0o077);
outliveClosedOutput();

try {
  const command = readSimulatorCommand(process.argv.slice(2));
  if (command === 'help') process.stdout.write(helpOf(SIMULATOR_USAGE));
  else await run(command);
} catch (error) {
  process.exitCode = explain(error);
}

/** Tells a person what is wrong. @returns The exit code. */
function explain(error: unknown): number {
  const isExpected = error instanceof SettingError || error instanceof DiskError;
  process.stderr.write(`${isExpected ? error.message : unforeseen(error)}\n`);
  return error instanceof SettingError ? USAGE_ERROR : FAILED;
}

function run(command: SimulatorCommand): Promise<void> {
  return runSimulator(command, {
    environment: process.env,
    stop: heedSignals().signal,
    onStarted: (started) => process.stdout.write(toldOf(command, started)),
    note: (line) => process.stderr.write(`${line}\n`),
  });
}

function toldOf({ json }: SimulatorCommand, started: StartedSimulator): string {
  return json === true ? `${JSON.stringify(startedForPrograms(started))}\n` : startedLines(started);
}
