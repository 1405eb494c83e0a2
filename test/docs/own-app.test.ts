import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/own-app.md'), 'utf8');
const [stack = '', testOfStack = ''] = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(
  ([, code = '']) =>
    code
      .replace('customers-functions/infra', pathToFileURL(join(root, 'infra/index.ts')).href)
      .replace('../lib/shop-stack', '../lib/shop-stack.mts'),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-app-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['lib', 'test']) mkdirSync(join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the test of the page passes with the stack of the page', async () => {
  const file = join(folder, 'test/shop.test.mts');
  writeFileSync(join(folder, 'lib/shop-stack.mts'), stack);
  // What a test runner gives, so that an assertion that fails fails here.
  const runner =
    'export const ran = [];\nconst test = (title, body) => ran.push([title, body()]);\n';
  writeFileSync(file, runner.concat(testOfStack));

  expect(await import(pathToFileURL(file).href)).toMatchObject({
    ran: [['has one ledger', undefined]],
  });
}, 120_000);
