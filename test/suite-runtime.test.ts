import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { runNode } from './recorded/run-node.ts';

const PackageSchema = v.object({ scripts: v.object({ jest: v.string() }) });
const { scripts } = v.parse(PackageSchema, JSON.parse(readFileSync('package.json', 'utf8')));

test('a suite leaves nothing behind for the next one in its process', async () => {
  const [, ...args] = scripts.jest.split(' ');
  const { code, stderr } = await runNode([...args, '--runInBand', 'test/left-behind']);

  expect(stderr).toContain('2 passed, 2 total');
  expect(code).toBe(0);
});
