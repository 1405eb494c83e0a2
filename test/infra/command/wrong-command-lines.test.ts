import { expect, test } from '@jest/globals';
import { COMMANDS } from '../../../infra/command/commands.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const A_LIST = 'expected 1 to 63 small letters, digits and hyphens, a hyphen not first, got X Y';
const A_KEY = '--idempotency-key: expected 1 to 255 visible ASCII characters';
const AN_ID = 'EXPORT-ID: expected the id of an export, as list shows it, got A B';
const NEWEST = '--list: it finds the newest export: leave it out with an EXPORT-ID';
const ONE_WRITE = 'it is about one write: add its WRITE-ID';

test.each([
  ...['start', 'list', 'show', 'watch', 'download', 'changes'].map(
    (word) => [[word, 'acme', '--list', 'X Y'], `--list: ${A_LIST}`] as const,
  ),
  ...['show', 'watch', 'download', 'changes'].map(
    (word) => [[word, 'acme', 'A B'], AN_ID] as const,
  ),
  ...['show', 'watch', 'download', 'changes'].map(
    (word) => [[word, 'acme', 'request-1', '--list', 'invoices'], NEWEST] as const,
  ),
  ...['a b', 'ä', '', 'k'.repeat(256)].map(
    (key) => [['start', 'acme', '--idempotency-key', key], A_KEY] as const,
  ),
  [['cancel', 'acme', 'A B', '--reason', 'x'], AN_ID],
  [
    ['download', 'acme', '--out', '-'],
    '--out: expected a folder, since parts are files: set --as too',
  ],
  [['settle', 'acme', '--decision', 'done'], `--decision: ${ONE_WRITE}`],
  [['settle', 'acme', '--attempt', '0'], `--attempt: ${ONE_WRITE}`],
  [['settle', 'acme', '--note', 'seen'], `--note: ${ONE_WRITE}`],
  [
    ['new-key', 'acme', '--base-url', 'http://api.example.com'],
    '--base-url: the scheme must be https. Expected the part before /2.0/, such as https://api.example.com',
  ],
  [['new-key', 'acme', '--header', 'a b'], '--header: expected a header name'],
  [
    ['new-key', 'acme', '--header', 'Host'],
    '--header: expected a header of the API, not one of HTTP itself',
  ],
  [
    ['new-key', 'acme', '--organization', 'Ä'],
    '--organization: expected 1 to 100 ASCII characters',
  ],
] as const)('%j is refused before anything is asked: %s', async (args, problem) => {
  const surroundings = sampleSurroundings();

  expect(await runCommand(COMMANDS, args, surroundings)).toBe(2);
  expect(surroundings.said).toEqual({ stdout: '', stderr: `${problem}\n` });
});

const KEY = 'KEYabcdefgh1234567890';
const TRY = ['try', '--base-url', 'https://api.invalid'];

test.each([
  ['schema', KEY],
  ['simulate', '--faults', KEY],
  ['simulate', '--faults', `{"${KEY}":1}`],
  ['simulate', '--log', `${KEY}/x`],
  ['download', 'acme', '--out', KEY, '--as', KEY],
  [...TRY, '--query', `{"${KEY}":[1]}`],
  [...TRY, '--query', `{"a":{"${KEY}":1}}`],
  [...TRY, '--query', `{"${KEY}":1,"${KEY}":2}`],
  [...TRY, '--meta-keys', `{"${KEY}":1}`],
  [...TRY, '--meta-keys', `{"total":1,"x":{"${KEY}":2,"${KEY}":3}}`],
])('%j is refused, and what may be the key is not said', async (...args) => {
  const surroundings = sampleSurroundings();

  expect(await runCommand(COMMANDS, args, surroundings)).toBe(2);
  const { stdout, stderr } = surroundings.said;
  expect(stderr).toMatch(/^(FILE|--[a-z-]+)[^\n]+\n$/);
  expect(stdout + stderr).not.toContain(KEY);
});
