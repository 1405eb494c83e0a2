import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Check, runChecks } from './run-checks.ts';

async function run(checks: readonly Check[]) {
  let said = '';
  const hasPassed = await runChecks(checks, (text) => {
    said += text;
  });
  return { hasPassed, said: said.replaceAll(/after \d+ s/g, 'after N s') };
}

test('shows all that a failed check said, and how each of them ended', async () => {
  const { hasPassed, said } = await run([
    { name: 'right', command: 'echo nobody reads this' },
    { name: 'wrong', command: 'echo on stdout; echo on stderr >&2; exit 3' },
    { name: 'killed', command: 'kill -9 $$' },
  ]);

  expect(hasPassed).toBe(false);
  expect(said).toMatch(
    /\n(on stdout\non stderr|on stderr\non stdout)\nwrong: failed, exit code 3 after N s\n/,
  );
  expect(said).toMatch(
    /\nright: passed after N s\nwrong: failed, exit code 3 after N s\nkilled: failed, SIGKILL after N s\n$/,
  );
  expect(said).not.toContain('nobody reads this');
});

test('passes when all pass, whatever they say', async () => {
  const { hasPassed, said } = await run([{ name: 'right', command: 'echo a warning >&2' }]);
  expect({ hasPassed, said }).toEqual({ hasPassed: true, said: '\nright: passed after N s\n' });
});

test('a check begins when those before it have ended, and is not run without what it needs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checks-'));
  const file = join(folder, 'file');
  const { hasPassed, said } = await run([
    { name: 'build', command: `sleep 0.2; touch ${file}; exit 1` },
    { name: 'tests', command: `rm ${file}`, needs: ['build'] },
    { name: 'style', command: `test -f ${file}`, after: ['build'] },
  ]);
  rmSync(folder, { recursive: true });

  expect(hasPassed).toBe(false);
  expect(said).toMatch(
    /build: failed, exit code 1 after N s\ntests: not run without build\nstyle: passed after N s\n$/,
  );
});
