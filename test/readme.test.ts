import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { DEMO_KEY } from '../infra/simulator/options.ts';
import { startSimulator } from '../infra/simulator/simulator.ts';

const root = join(import.meta.dirname, '..');
const clientPage = readFileSync(join(root, 'docs/client.md'), 'utf8');

test('the ten lines of the client list every customer of the simulator', async () => {
  const [, program = ''] = /^## Ten lines\n.*?^```js\n(.*?)^```/ms.exec(clientPage) ?? [];
  const simulator = node(['infra/command/main.ts', 'simulate']);
  try {
    const exports = await exportsPrintedBy(simulator);
    const list = node(['--input-type=module'], exports);
    list.stdin.end(program);
    const [customers, errors] = await Promise.all([text(list.stdout), text(list.stderr)]);

    expect(errors).toBe('');
    expect(customers.trimEnd().split('\n')).toEqual(await truth());
  } finally {
    simulator.kill();
  }
}, 180_000);

test('the README shows an export in the words of the program', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [shown = ''] = /^Export {8}completed.*?^```/ms.exec(readme) ?? [];
  const source = [
    'lib/exports/completeness.ts',
    'infra/local/start/print-result.ts',
    'infra/command-line/words.ts',
  ]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join();
  const values = shown.split('\n').map((line) => line.slice('Requests      '.length));
  const words = values
    .join(' ')
    // Between what differs from export to export.
    .split(/[\d.,:()]+|\bcomplete\b|rising|total-pages|no-next-page|total|demo|request-\w+|`/)
    .map((part) => part.trim())
    .filter((part) => part.includes(' '));

  expect(words.length).toBeGreaterThan(5);
  expect(words.filter((part) => !source.includes(part))).toEqual([]);
});

function node(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): ChildProcessWithoutNullStreams {
  const { CUSTOMERS_API_KEY: _, ...inherited } = process.env;
  return spawn(process.execPath, args, { cwd: root, env: { ...inherited, ...environment } });
}

/** The lines that a person would paste into the second terminal. */
async function exportsPrintedBy(
  simulator: ChildProcessWithoutNullStreams,
): Promise<NodeJS.ProcessEnv> {
  let printed = '';
  for await (const chunk of simulator.stdout) {
    printed += String(chunk);
    const lines = [...printed.matchAll(/^\s*export (\w+)=(\S+)\n/gm)];
    if (lines.length === 3)
      return Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  }
  throw new Error(`The simulator ended without its three lines: ${printed}`);
}

async function truth(): Promise<readonly string[]> {
  const same = await startSimulator();
  await same.close();
  return same.customersOf(DEMO_KEY);
}
