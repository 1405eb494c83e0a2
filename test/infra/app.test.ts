import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exampleContext } from '../recorded/product.ts';
import { expectRecorded } from '../recorded/recording.ts';

const CANARY = 'canary-key-4711-0815';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'customers-functions-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the app as the CDK's command line does, with a key in the environment as `npm start` has it. */
async function runApp(context: object): Promise<{ exitCode: unknown; stderr: string }> {
  const app = spawn(process.execPath, ['infra/app.ts'], {
    env: {
      PATH: process.env['PATH'],
      CUSTOMERS_API_KEY: CANARY,
      CDK_OUTDIR: folder,
      CDK_VALIDATION: process.env['CDK_VALIDATION'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      CDK_CONTEXT_JSON: JSON.stringify(context),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  app.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [exitCode] = await once(app, 'close');
  return { exitCode, stderr };
}

/** The code of a function is an asset that is named after its bytes. */
const ASSET = /[0-9a-f]{64}(?=\.zip)/g;

test('writes an assembly whose functions load, and which holds no key and no source map', async () => {
  const { exitCode } = await runApp(exampleContext());
  expect(exitCode).toBe(0);

  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.filter((file) => file.endsWith('index.mjs'))).toHaveLength(9);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  for (const file of files) expect(await readFile(file, 'utf8')).not.toContain(CANARY);

  const bundles = files.filter((file) => file.endsWith('index.mjs'));
  expect(await exportsOf(bundles, await environmentOfWorker())).toEqual(
    bundles.map(() => ['handler']),
  );
}, 120_000);

test('the template of the example settings is the recorded one but for the names of assets', async () => {
  const template = await readFile(join(folder, 'CustomersFunctions.template.json'), 'utf8');
  expectRecorded('template', JSON.parse(template.replace(ASSET, '<asset>')));
});

test('says in one line which setting is wrong, and ends with 1', async () => {
  const connections = { demo: { perPage: 'many' } };
  const { exitCode, stderr } = await runApp({
    'customers-functions': { baseUrl: 'https://api.example.com', connections },
  });

  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^customers-functions\.connections\.demo\.perPage: .*\n$/);
}, 180_000);

/** In place of what only CloudFormation knows; some of it has to be the URL of a queue, each of another one. */
const unknown = (name: string) => `https://sqs.eu-central-1.amazonaws.com/123456789012/${name}`;

/** The names of the variables come from the template, what is unknown does not matter for loading. */
async function environmentOfWorker(): Promise<Record<string, string>> {
  const template = await readFile(join(folder, 'CustomersFunctions.template.json'), 'utf8');
  const resources: { Properties?: { Environment?: { Variables: Record<string, unknown> } } }[] =
    Object.values(JSON.parse(template).Resources);
  const all = Object.assign({}, ...resources.map((one) => one.Properties?.Environment?.Variables));
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : unknown(name),
    ]),
  );
}

/** Names of what each bundle exports. */
async function exportsOf(
  bundles: readonly string[],
  environment: Record<string, string>,
): Promise<unknown> {
  const script = `Promise.all(${JSON.stringify(bundles)}.map((bundle) => import(bundle)))
    .then((all) => console.log(JSON.stringify(all.map((one) => Object.keys(one)))))`;
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...environment, AWS_REGION: 'eu-central-1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return JSON.parse(stdout);
}
