import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { DEMO_KEY } from '../../infra/simulator/options.ts';
import { startSimulator } from '../../infra/simulator/simulator.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/client.md'), 'utf8');

/** What the samples of the page take as given. */
const GIVEN = `
import { createCustomersClient } from 'customers-functions';
import { trust } from 'customers-functions/testing';

trust(process.env.CA_PEM);
const client = createCustomersClient({ baseUrl: process.env.API_URL, key: '${DEMO_KEY}', perPage: 50 });
const stored = [];
const store = (first, text) => stored.push(...(text === undefined ? [Buffer.from(first).toString()] : [text, '\\n']));
const save = (id, name) => stored.push(id, name);
const onEnd = ({ proof }) => stored.push(JSON.stringify(proof.open));
`;

test.each([
  ['Text and value', (records: readonly string[]) => records.map((text) => `${text}\n`).join('')],
  [
    'Values that a schema checked',
    (records: readonly string[]) =>
      records.map((text) => `${/"id":(\d+)/.exec(text)?.[1]}${JSON.parse(text).name}`).join(''),
  ],
  [
    'Lists that change while they are read',
    (records: readonly string[]) => `${records.map((text) => `${text}\n`).join('')}[]`,
  ],
  ['Errors of the loops', (records: readonly string[]) => `${records.join('\n')}\n`],
])(
  'the sample below "%s" of client.md reads every customer',
  async (heading, expected) => {
    // The second page of the loops without `maxWaitSeconds` is throttled once.
    const limit = { kind: 'token-bucket', ratePerSecond: 50, burst: 50 } as const;
    const isThrottled = heading === 'Errors of the loops';
    const faults = { when: { page: 2 }, times: 1, fault: { kind: 'status', status: 429 } } as const;
    const api = await startSimulator({
      customers: 150,
      limit,
      faults: isThrottled ? [faults] : [],
    });
    try {
      const program = programOf(heading);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module-typescript', '--eval', program],
        {
          cwd: root,
          env: { ...process.env, NODE_OPTIONS: '', API_URL: api.url, CA_PEM: api.caPem },
        },
      );

      expect(stdout).toBe(expected(api.customersOf(DEMO_KEY)));
      expect(api.log.entries.some(({ status }) => status === 429)).toBe(isThrottled);
    } finally {
      await api.close();
    }
  },
  60_000,
);

/** The first sample below a heading, with what it takes as given, and an end that prints what it stored. */
function programOf(heading: string): string {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [, sample] = /^```(?:js|ts)\n(.*?)^```/ms.exec(section.split('\n## ')[0] ?? '') ?? [];
  if (sample === undefined) throw new Error(`client.md has no sample below ${heading}`);
  return `${GIVEN}\n${sample}\nprocess.stdout.write(stored.join(''));`;
}
