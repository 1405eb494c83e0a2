import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { synthesizedStack } from '../infra/synthesized-stack.ts';

const root = join(import.meta.dirname, '../..');

test('every output that a command on a page reads is one of the stack', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const texts = ['README.md', ...pages.map((name) => join('docs', name))].map((name) =>
    readFileSync(join(root, name), 'utf8'),
  );
  const read = texts.flatMap((text) =>
    [...text.matchAll(/\boutput `?([A-Z]\w+)|\b([A-Z]\w+LogGroupName)\b/g)].map(
      ([, read = '', looped = read]) => looped,
    ),
  );
  const outputs = synthesizedStack({
    baseUrl: 'https://api.example.com',
    schedule: 'rate(1 day)',
    connections: { demo: { schedule: 'rate(1 day)' } },
    operations: [
      { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
    ],
  }).findOutputs('*');

  expect(read.length).toBeGreaterThan(10);
  expect(read.filter((name) => !(name in outputs))).toEqual([]);
});
