import { expect, test } from '@jest/globals';
import { DOCTOR } from '../../../infra/command/doctor.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import { TRY } from '../../../infra/command/try.ts';
import type { Fault } from '../../../infra/simulator/faults.ts';
import type { SimulatorOptions } from '../../../infra/simulator/options.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import { startTrustedSimulator } from '../../trusted-simulator.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const KEY = 'cAnArY-7f3d9e21/b64+form="x"';

async function withSimulator<T>(
  options: SimulatorOptions,
  work: (simulator: Simulator) => Promise<T>,
): Promise<T> {
  const simulator = await startTrustedSimulator({
    customers: 230,
    organizations: [{ key: KEY }],
    ...options,
  });
  try {
    return await work(simulator);
  } finally {
    await simulator.close();
  }
}

async function run(args: readonly string[], key = KEY) {
  const surroundings = sampleSurroundings({ environment: { CUSTOMERS_API_KEY: key } });
  const code = await runCommand([DOCTOR], ['doctor', ...args], surroundings);
  const { stdout, stderr } = surroundings.said;
  // A quote in it is escaped in JSON.
  expect(stdout + stderr).not.toContain(KEY.slice(0, 16));
  return { code, stdout, stderr };
}

test('prints the profile in words, the settings, and command lines that try takes', () =>
  withSimulator({ meta: 'spree' }, async (simulator) => {
    const { code, stdout } = await run(['--base-url', simulator.url]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^Records +In data, found by rule\.$/m);
    expect(stdout).toMatch(/^Order +By id, rising\.$/m);
    const settings: unknown = JSON.parse(/^\{.*?^\}/ms.exec(stdout)?.[0] ?? '');
    expect(settings).toEqual({
      baseUrl: simulator.url,
      ...{ perPage: 100, firstPage: 1, itemsKey: 'data', idKey: 'id' },
    });
    const line = /^npx customers-functions try (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(() => TRY.read(line.split(' '))).not.toThrow();
    expect(simulator.log.entries.length).toBeLessThanOrEqual(10);
  }));

test.each<[string, SimulatorOptions, string]>([
  [
    'two windows',
    {
      limit: {
        kind: 'all',
        limits: [
          { kind: 'token-bucket', ratePerSecond: 50, burst: 50 },
          { kind: 'fixed-window', requests: 3_000, windowSeconds: 3_600 },
        ],
      },
      rateLimitHeaders: 'draft-8',
    },
    '50 requests in 1 s, 3,000 requests in 3,600 s',
  ],
  [
    'one whose window is not told',
    {
      limit: { kind: 'fixed-window', requests: 300, windowSeconds: 60 },
      rateLimitHeaders: 'x-ratelimit',
    },
    '300 requests in a window',
  ],
])('says which limits are stated and kept: %s', (_title, options, words) =>
  withSimulator(options, async (simulator) => {
    const { stdout } = await run(['--base-url', simulator.url]);

    const said = stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain(`Stated, and kept from the first request on: ${words}.`);
  }),
);

test('both command lines name the header that carried the key', () =>
  withSimulator({ keyHeader: 'X-Api-Token' }, async (simulator) => {
    const { stdout } = await run(['--base-url', simulator.url, '--header', 'X-Api-Token']);

    expect(stdout).toMatch(/^npx customers-functions try .*--header X-Api-Token/m);
    expect(stdout).toMatch(/^npm start -- .*--header X-Api-Token/m);
  }));

test('--json has the profile, the settings of another list, and what was not learned', () =>
  withSimulator({}, async (simulator) => {
    const args = ['--base-url', simulator.url, '--resource', 'subscriptions', '--json'];
    const { code, stdout } = await run([...args, '--query', '{"status":"all"}']);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ending: 'all-asked',
      settings: { lists: { subscriptions: { query: { status: 'all' }, idKey: 'id' } } },
      notLearned: expect.arrayContaining([{ what: 'throttle', why: 'not-throttled' }]),
    });
  }));

test.each<[string, Fault['fault'], string]>([
  ['a redirect', { kind: 'redirect', location: 'https://elsewhere.example/' }, 'redirect'],
  ['HTML', { kind: 'html' }, 'not JSON'],
  ['the key in its body', { kind: 'echo-key', where: 'body' }, 'contains the API key'],
  ['the key in a header', { kind: 'echo-key', where: 'header' }, 'contains the API key'],
  ['the key in an error', { kind: 'echo-key', where: 'error-body' }, 'status'],
])('ends with exit code 1 after %s, and never shows the key', async (_, fault, said) =>
  withSimulator({ faults: [{ fault }] }, async (simulator) => {
    const { code, stdout } = await run(['--base-url', simulator.url]);

    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(said);
  }),
);

test('a wrong key is sent once; a wrong path names the parts of the address', () =>
  withSimulator({}, async (simulator) => {
    const wrong = await run(['--base-url', simulator.url], 'another-key-another-key');
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('--header') });
    expect(simulator.log.entries).toHaveLength(1);

    const lost = await run(['--base-url', `${simulator.url}/eu`]);
    expect(lost.code).toBe(1);
    const words = lost.stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain(`Nothing is at ${simulator.url}/eu/2.0/customers.`);
    expect(words).toContain('Its path is /eu.');
  }));

test.each([
  [['--base-url', 'http://api.example.com'], '--base-url: the scheme must be https'],
  [[], '--base-url: expected the address of the API'],
  [['--base-url', 'https://api.example.com', '--max-wait', '-1'], '--max-wait'],
  [['--base-url', 'https://api.example.com', '--query', '{"page": 2}'], '--query'],
  [
    ['--base-url', 'https://api.example.com', '--query', `{"k": ${JSON.stringify(KEY)}}`],
    'holds the key',
  ],
])('%j is refused before any request', async (args, problem) => {
  const { code, stdout, stderr } = await run(args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(problem);
});

test('says which address to give when it holds the path of the list', async () => {
  const stderr = await withSimulator({ customers: 3 }, async ({ url }) => {
    const said = await run([`--base-url=${url}/2.0/customers`]);
    return said.stderr.replaceAll(url, 'https://api');
  });

  expect(stderr).toContain('If the API has no such path, give --base-url https://api.');
});
