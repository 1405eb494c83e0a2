import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from '@jest/globals';
import { moveInto } from '../../../infra/build/move-into.ts';
import { until } from '../../until.ts';

const root = mkdtempSync(join(tmpdir(), 'move-into-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test('puts the files of a build in the place of the former ones, but for what stays', () => {
  const dist = write(join(root, 'first/dist'), {
    'lib/kept.js': 'old',
    'lib/gone.js': 'old',
    'bundles/one/index.mjs': 'bundle',
  });
  const made = write(join(root, 'first/made'), { 'lib/kept.js': 'new', 'index.js': 'new' });

  moveInto(dist, made, ['bundles']);

  const read = (name: string) => readFileSync(join(dist, name), 'utf8');
  expect(['lib/kept.js', 'index.js', 'bundles/one/index.mjs'].map(read)).toEqual([
    'new',
    'new',
    'bundle',
  ]);
  expect([join(dist, 'lib/gone.js'), made].map((path) => existsSync(path))).toEqual([false, false]);
});

/** Reads a file without a pause, and tells the first content that is not whole. */
const READER = `
const { parentPort, workerData: { file, whole } } = require('node:worker_threads');
const { readFileSync } = require('node:fs');
let ended = false, reads = 0;
parentPort.on('message', () => { ended = true; });
(function read() {
  for (let i = 0; i < 50; i++) {
    reads += 1;
    try {
      if (readFileSync(file, 'utf8').length === whole) continue;
      return parentPort.postMessage('half a file');
    } catch (error) { return parentPort.postMessage(error.code); }
  }
  if (ended) { parentPort.postMessage('whole'); parentPort.close(); return; }
  if (reads === 50) parentPort.postMessage('reading');
  setImmediate(read);
})();`;

test('who reads meanwhile never misses a file, and never sees half of one', async () => {
  const text = 'x'.repeat(100_000);
  const dist = write(join(root, 'second/dist'), { 'lib/index.js': text });
  const workerData = { file: join(dist, 'lib/index.js'), whole: text.length };
  const reader = new Worker(READER, { eval: true, workerData });
  const said: unknown[] = [];
  reader.on('message', (message) => said.push(message));
  await until('the reader', () => said.length > 0);

  for (let build = 0; build < 100; build++) {
    moveInto(dist, write(join(root, 'second/made'), { 'lib/index.js': text }), []);
  }
  reader.postMessage('end');
  await until('the end of the reader', () => said.length > 1);

  expect(said).toEqual(['reading', 'whole']);
});
