import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { runCommand } from '../../../infra/command/run-command.ts';
import { SIMULATE } from '../../../infra/command/simulate.ts';
import { startSimulator } from '../../../infra/simulator/simulator.ts';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import { trust } from '../../trust.ts';
import { until } from '../../until.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const KEY = 'own-key-of-a-user-4711';

test('runs the API until Ctrl-C, for the own key, and prints where it is for programs', async () => {
  const surroundings = sampleSurroundings({ environment: { CUSTOMERS_API_KEY: KEY } });
  const args = ['simulate', '--customers', '7', '--json', '--verbose'];
  const ended = runCommand([SIMULATE], args, surroundings);
  await until('the simulator listens', () => surroundings.said.stdout !== '');
  const { url, ca } = JSON.parse(surroundings.said.stdout);
  trust(readFileSync(ca, 'utf8'));
  const page = await createCustomersClient({ baseUrl: url, key: KEY }).listPage(1);
  // It is told once it is written, which the client may see first.
  await until('the request is told', () => surroundings.said.stderr !== '');
  surroundings.interrupt.abort();

  expect(page).toMatchObject({ kind: 'page', recordCount: 7 });
  expect(await ended).toBe(0);
  expect(existsSync(ca)).toBe(false);
  expect(surroundings.said.stderr).toBe(
    '1 GET /2.0/customers page 1: 200\n1 requests, 0 throttled, 0 early.\n',
  );
  expect(surroundings.said.stdout).not.toContain(KEY);
});

test('prints what to paste without the own key of the user', async () => {
  const surroundings = sampleSurroundings({ environment: { CUSTOMERS_API_KEY: KEY } });
  const ended = runCommand([SIMULATE], ['simulate', '--customers', '0'], surroundings);
  await until('the simulator listens', () => surroundings.said.stdout !== '');
  surroundings.interrupt.abort();

  expect(await ended).toBe(0);
  const { stdout, stderr } = surroundings.said;
  expect(stdout).toMatch(/ {2}export CUSTOMERS_API_URL=https:\/\/localhost:\d+\n/);
  expect(stdout).not.toContain('CUSTOMERS_API_KEY=');
  expect(stdout + stderr).not.toContain(KEY);
});

test('a port in use is a usage error', async () => {
  const { port, close } = await startSimulator({ customers: 0 });
  const surroundings = sampleSurroundings();
  const code = await runCommand([SIMULATE], ['simulate', `--port=${port}`], surroundings);
  await close();

  expect(code).toBe(2);
  expect(surroundings.said.stderr).toBe(
    `--port: ${port} is used by another program. Choose another one, or 0 for any free one.\n`,
  );
});

test.each([
  [['--rate', '0'], /^--rate: expected a number from 0\.0001 to 1000000, got 0\n$/],
  [['--window', '5', '--rate', 'none'], /^--window: has no meaning with --rate none\n$/],
  [
    ['--faults', '/nowhere/faults.json'],
    /^--faults: cannot read …\/faults\.json: there is no such file \(ENOENT\)\n$/,
  ],
])('names the option of %j with exit code 2', async (args, message) => {
  const surroundings = sampleSurroundings();

  expect(await runCommand([SIMULATE], ['simulate', ...args], surroundings)).toBe(2);
  expect(surroundings.said.stderr).toMatch(message);
});
