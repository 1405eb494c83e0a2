import { readFileSync } from 'node:fs';
import { SettingError } from '../../lib/errors.ts';
import { outliveClosedOutput } from '../command-line/closed-output.ts';
import { fileProblem } from '../command-line/file-problem.ts';
import { helpOf } from '../command-line/usage.ts';
import { printedSchema, readSchemaCommand, SCHEMA_USAGE } from './command-line.ts';

const USAGE_ERROR = 2;
const STANDARD_INPUT = 0;

outliveClosedOutput();

try {
  const command = readSchemaCommand(process.argv.slice(2));
  process.stdout.write(
    command === 'help' ? helpOf(SCHEMA_USAGE) : printedSchema(command, contentOf(command.file)),
  );
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = USAGE_ERROR;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8');
  } catch (error) {
    throw fileProblem('FILE', 'read', file, error);
  }
}
