#!/usr/bin/env node
import { outliveClosedOutput } from '../command-line/closed-output.ts';
import { heedSignals } from '../command-line/heed-signals.ts';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run-command.ts';
import { waitFor } from './wait-for.ts';

// Files that hold customers are for this user alone.
process.umask(0o077);
outliveClosedOutput();

const interrupt = heedSignals();
process.exitCode = await runCommand(COMMANDS, process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  environment: process.env,
  interrupt,
  now: Date.now,
  wait: (ms) => waitFor(ms, interrupt.signal),
});
