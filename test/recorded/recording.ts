import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { ROOT } from './product.ts';

const FOLDER = join(import.meta.dirname, 'recordings');

const RECORD =
  '"RECORD=1 npm run jest -- test/recorded test/infra/app.test.ts" writes the recordings anew; then read the diff.';
const isRecording = process.env['RECORD'] === '1';

/** Compares with the recording of this name, the order of members included. */
export function expectRecorded(name: string, value: unknown): void {
  const file = join(FOLDER, `${name}.json`);
  const text = JSON.stringify(value, undefined, 2);
  if (isRecording) {
    writeFileSync(file, `${text}\n`);
    // In the style of the repository, so that its check of style lets them pass.
    const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
    execFileSync(process.execPath, [biome, 'format', '--write', file], { cwd: ROOT });
  }
  try {
    // As text, since two objects are equal in any order of their members.
    expect(text).toBe(JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), undefined, 2));
  } catch (error) {
    if (error instanceof Error) error.message += `\n\nWhere this is meant: ${RECORD}`;
    throw error;
  }
}

/** JSON as a value if that loses nothing, to be read well; any other text as it is. */
export function readable(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : text;
  } catch {
    return text;
  }
}
