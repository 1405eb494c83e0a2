import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { isDeep } from '../deep/depth.ts';

const ROOT = join(import.meta.dirname, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const PackageSchema = v.object({ dependencies: v.record(v.string(), v.string()) });

const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

/** The first sample below a heading, or one after it. */
function sampleOf(heading: string, index = 0): string {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [ofHeading = ''] = section.split('\n## ');
  const sample = [...ofHeading.matchAll(/^```js\n(.*?)^```/gms)][index]?.[1];
  if (sample === undefined) throw new Error(`testing.md has no sample ${index} for ${heading}`);
  return sample;
}

/** A project of a user, in which the package is installed as npm does it. */
let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'testing-samples-'));
  const modules = join(project, 'node_modules');
  const installed = join(modules, 'customers-functions');
  mkdirSync(installed, { recursive: true });
  for (const name of ['package.json', 'dist']) {
    cpSync(join(ROOT, name), join(installed, name), {
      recursive: true,
      filter: (path) => !path.includes(join('dist', 'bundles')),
    });
  }
  const { dependencies } = v.parse(
    PackageSchema,
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')),
  );
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What a program printed, and its exit code. */
async function run(program: string, args: readonly string[]) {
  const { NODE_OPTIONS: _options, JEST_WORKER_ID: _worker, ...env } = process.env;
  return new Promise<{ code: unknown; said: string }>((resolve) => {
    execFile(program, [...args], { cwd: project, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, said: stdout + stderr }),
    );
  });
}

function sampleFile(name: string, heading: string, index = 0): string {
  writeFileSync(join(project, name), sampleOf(heading, index));
  return name;
}

test('the sample for Jest passes in a project with CommonJS', async () => {
  writeFileSync(join(project, 'package.json'), '{ "name": "sample", "version": "1.0.0" }');
  const file = sampleFile('customers.test.js', 'Jest');
  const { code, said } = await run(process.execPath, [JEST, '--rootDir', project, file]);

  expect(said).toMatch(/1 passed, 1 total/);
  expect(code).toBe(0);
}, 120_000);

test('the sample for node:test passes', async () => {
  const file = sampleFile('customers.test.mjs', 'node:test');
  const { code, said } = await run(process.execPath, ['--test', file]);

  expect(said).toMatch(/pass 1\n/);
  expect(code).toBe(0);
}, 120_000);

test('the samples for a Lambda function pass', async () => {
  const heading = 'A Lambda function of your own';
  sampleFile('read-customer.mjs', heading);
  const file = sampleFile('read-customer.test.mjs', heading, 1);
  const { code, said } = await run(process.execPath, ['--test', file]);

  expect(said).toMatch(/pass 2\n/);
  expect(code).toBe(0);
}, 120_000);

(isDeep ? test : test.skip)(
  'the sample for Vitest passes',
  async () => {
    const file = sampleFile('customers.vitest.test.mjs', 'Vitest');
    const own = join(project, 'vitest');
    const npm = await run('npm', [
      'install',
      '--prefix',
      own,
      '--no-audit',
      '--no-fund',
      'vitest@4',
    ]);
    expect(npm).toMatchObject({ code: 0 });
    symlinkSync(join(own, 'node_modules/vitest'), join(project, 'node_modules/vitest'));
    const { code, said } = await run(process.execPath, [
      join(own, 'node_modules/vitest/vitest.mjs'),
      'run',
      file,
    ]);

    expect(said).toMatch(/1 passed/);
    expect(code).toBe(0);
  },
  600_000,
);
