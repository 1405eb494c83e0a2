import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

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
      CDK_CONTEXT_JSON: JSON.stringify({ 'customers-functions': context }),
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

test('writes an assembly whose functions load, and which holds no key and no source map', async () => {
  const { exitCode } = await runApp({
    baseUrl: 'https://api.example.com',
    connections: { demo: {} },
  });
  expect(exitCode).toBe(0);

  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.filter((file) => file.endsWith('index.mjs'))).toHaveLength(8);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  for (const file of files) expect(await readFile(file, 'utf8')).not.toContain(CANARY);

  const environment = await environmentOfWorker();
  for (const bundle of files.filter((file) => file.endsWith('index.mjs'))) {
    expect(await exportsOf(bundle, environment)).toBe('handler');
  }
}, 120_000);

test('says in one line which setting is wrong, and ends with 1', async () => {
  const { exitCode, stderr } = await runApp({
    baseUrl: 'https://api.example.com',
    connections: { demo: { perPage: 'many' } },
  });

  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^customers-functions\.connections\.demo\.perPage: .*\n$/);
}, 180_000);

/** In place of what only CloudFormation knows; some of it has to be the URL of a queue. */
const UNKNOWN = 'https://sqs.eu-central-1.amazonaws.com/123456789012/queue';

/** The names of the variables come from the template, what is unknown does not matter for loading. */
async function environmentOfWorker(): Promise<Record<string, string>> {
  const text = await readFile(join(folder, 'CustomersFunctions.template.json'), 'utf8');
  const resources: { Properties?: { Environment?: { Variables: Record<string, unknown> } } }[] =
    Object.values(JSON.parse(text).Resources);
  const all = Object.assign({}, ...resources.map((one) => one.Properties?.Environment?.Variables));
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, typeof value === 'string' ? value : UNKNOWN]),
  );
}

async function exportsOf(bundle: string, environment: Record<string, string>): Promise<string> {
  const script = `import(${JSON.stringify(bundle)}).then((it) => console.log(Object.keys(it).join()))`;
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...environment, AWS_REGION: 'eu-central-1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  await once(child, 'close');
  return stdout.trim();
}
