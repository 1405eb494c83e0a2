import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runNode } from '../recorded/run-node.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/environments.md'), 'utf8');
const apps = [...page.matchAll(/```ts\n([^`]+)```/g)].map(([, code = '']) =>
  code.replace('customers-functions/infra', pathToFileURL(join(root, 'infra/index.ts')).href),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'environments-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The outputs of each stack of an app on the page, synthesized as the CDK's command line does. */
async function outputsOf(index: number): Promise<Record<string, Record<string, unknown>>> {
  const file = join(folder, `app-${index}.mts`);
  const directory = join(folder, `cdk.out-${index}`);
  writeFileSync(file, apps[index] ?? '');
  const { code, stderr } = await runNode([file], {
    CDK_OUTDIR: directory,
    CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [] }),
  });
  expect([code, stderr]).toEqual([0, '']);
  const templates = readdirSync(directory).filter((name) => name.endsWith('.template.json'));
  return Object.fromEntries(
    templates.map((name) => {
      const { Outputs } = JSON.parse(readFileSync(join(directory, name), 'utf8'));
      const values = Object.entries(Outputs).map(([key, each]) => [key, Object(each).Value]);
      return [name.split('.')[0], Object.fromEntries(values)];
    }),
  );
}

test('development and production of the page are two stacks with keys of their own', async () => {
  expect(await outputsOf(0)).toMatchObject({
    'customers-dev': { CustomersSecretPrefix: 'customers-functions/customers-dev.Customers/' },
    'customers-prod': { CustomersSecretPrefix: 'customers-functions/customers-prod.Customers/' },
  });
}, 120_000);

test('two integrations of the page are in one stack, with ids and outputs of their own', async () => {
  expect(await outputsOf(1)).toMatchObject({
    Mine: { SalesIntegrationId: 'Mine.Sales', SupportIntegrationId: 'Mine.Support' },
  });
}, 120_000);
