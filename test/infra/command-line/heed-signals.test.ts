import { expect, test } from '@jest/globals';
import { npmOf } from '../../../infra/command-line/heed-signals.ts';

const NPM = { name: 'node', ppid: 1, group: 10 };

test.each([
  { between: 'nothing', names: [] },
  { between: 'a shell', names: ['sh'] },
  { between: 'a script and the shell of npm', names: ['/bin/sh', '-zsh', 'bash'] },
])('finds npm behind $between', ({ names }) => {
  const shells = names.map((name, index) => ({ name, ppid: 10 + index, group: 10 }));
  const own = { name: 'node', ppid: 10 + names.length, group: 10 };

  expect(npmOf(11 + names.length, lookAtAll(10, [NPM, ...shells, own]))).toBe(10);
});

test('does not end with npm in a group of its own', () => {
  const own = { name: 'node', ppid: 10, group: 11 };

  expect(npmOf(11, lookAtAll(10, [NPM, own]))).toBeUndefined();
});

test('ends with nobody when npm has gone already', () => {
  const own = { name: 'node', ppid: 10, group: 10 };

  expect(npmOf(11, lookAtAll(11, [own]))).toBeUndefined();
});

/** Processes with ids one after the other. */
function lookAtAll<Process>(firstPid: number, processes: readonly Process[]) {
  return (pid: number) => {
    const found = processes[pid - firstPid];
    if (found === undefined) throw new Error(`there is no process ${pid}`);
    return found;
  };
}
