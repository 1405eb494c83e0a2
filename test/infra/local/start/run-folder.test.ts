import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeRunFolder } from '../../../../infra/local/start/run-folder.ts';

const MODULE = new URL('../../../../infra/local/start/run-folder.ts', import.meta.url).href;

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'runs-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A run in another process, which keeps its folder until it is killed. */
async function startOther(): Promise<{ path: string; kill(): Promise<void> }> {
  const program = `const { makeRunFolder } = await import(${JSON.stringify(MODULE)});
    const { path } = await makeRunFolder(${JSON.stringify(parent)});
    console.log(path);
    setInterval(() => {}, 1_000);`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  return {
    path: String(said).trim(),
    kill: async () => {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('removes the folder of a run that was killed, and of no other', async () => {
  const [killed, living] = [await startOther(), await startOther()];
  // Left by something else, or just in the making.
  for (const name of ['customers-run-abcdef', 'customers-runs', 'other']) {
    mkdirSync(join(parent, name));
  }
  symlinkSync(living.path, join(parent, 'customers-run-linked'));
  await killed.kill();

  const own = await makeRunFolder(parent);

  expect(existsSync(killed.path)).toBe(false);
  const kept = [own.path, living.path].map((path) => path.slice(parent.length + 1));
  const others = ['customers-run-abcdef', 'customers-run-linked', 'customers-runs', 'other'];
  expect(readdirSync(parent).toSorted()).toEqual([...kept, ...others].toSorted());
  expect(readdirSync(living.path)).toEqual(['lock']);
  await own.remove();
  await living.kill();
});

test('of two runs at the same time each keeps its own, and takes it away at its end', async () => {
  const [first, second] = await Promise.all([makeRunFolder(parent), makeRunFolder(parent)]);
  await first.remove();
  const third = await makeRunFolder(parent);

  const names = [second.path, third.path].map((path) => path.slice(parent.length + 1));
  expect(readdirSync(parent).toSorted()).toEqual(names.toSorted());
  await Promise.all([second.remove(), third.remove()]);
  expect(readdirSync(parent)).toEqual([]);
});

test('runs where the path is too long for a lock, and nobody takes its folder away', async () => {
  const deep = join(parent, 'a'.repeat(100));
  mkdirSync(deep);
  const first = await makeRunFolder(deep);
  const second = await makeRunFolder(deep);

  expect(readdirSync(deep)).toHaveLength(2);
  await Promise.all([first.remove(), second.remove()]);
  expect(readdirSync(deep)).toEqual([]);
});
