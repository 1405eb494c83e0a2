import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { residentBytes } from '../../../../infra/local/lambda/process-memory.ts';

const { PATH = '' } = process.env;

test.each(['linux', 'darwin'] as const)(
  'tells the memory of a process on %s, and nothing of one that is gone',
  async (platform) => {
    expect(await residentBytes(process.pid, platform)).toBeGreaterThan(2 ** 20);
    expect(await residentBytes(2 ** 30, platform)).toBe(0);
  },
);

test('what is asked for the memory of a process does not get the key of the environment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ps-'));
  writeFileSync(join(folder, 'ps'), '#!/bin/sh\nenv > "$0.environment"\necho 3\n', { mode: 0o755 });
  process.env['CUSTOMERS_API_KEY'] = 'CANARY-key-4711';
  process.env['PATH'] = `${folder}${delimiter}${PATH}`;
  const bytes = await residentBytes(process.pid, 'darwin');
  process.env['PATH'] = PATH;
  delete process.env['CUSTOMERS_API_KEY'];

  expect(bytes).toBe(3 * 1024);
  expect(readFileSync(join(folder, 'ps.environment'), 'utf8')).not.toContain('CANARY');
});
