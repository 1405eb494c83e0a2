import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const CHECK_INTERVAL_MS = 500;

/** Aborted by Ctrl-C, by a signal that asks to end, and when the npm or npx that runs this program has been killed. */
export function heedSignals(): AbortController {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => interrupt.abort());
  }
  // Where npm cannot be found the program ends by itself, or by a signal.
  endWithNpm(interrupt).catch(() => undefined);
  return interrupt;
}

/** The shell by which npm runs a program ends at a signal, and passes none on. */
async function endWithNpm(interrupt: AbortController): Promise<void> {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const npm = await npmOf(process.pid, process.platform === 'linux' ? fromProc : fromPs);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    interrupt.abort();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** @returns The process whose end is that of `pid`; `undefined` where `pid` was started to outlive it. */
export async function npmOf(pid: number, lookAt: LookAt): Promise<number | undefined> {
  const { ppid, group } = await lookAt(pid);
  // Of a group of its own, as `detached` makes it.
  return group === pid ? undefined : firstWithoutShell(ppid, lookAt);
}

/** Some shells stay between npm and what it runs, others do not, and a script may run another one. */
async function firstWithoutShell(pid: number, lookAt: LookAt): Promise<number> {
  const { name, ppid } = await lookAt(pid);
  return /(^|[/-])(ba|da|a|z|k)?sh$/.test(name) ? firstWithoutShell(ppid, lookAt) : pid;
}

type LookAt = (pid: number) => Promise<Process>;

interface Process {
  /** Of its program. */
  readonly name: string;
  readonly ppid: number;
  /** The id of the process that leads its group. */
  readonly group: number;
}

/** proc(5), stat; slim containers have no ps. */
async function fromProc(pid: number): Promise<Process> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  const [, name = '', ppid, group] = /^\d+ \((.*)\) \S (\d+) (\d+)/.exec(stat) ?? [];
  return { name, ppid: Number(ppid), group: Number(group) };
}

async function fromPs(pid: number): Promise<Process> {
  const columns = ['-o', 'ppid=,pgid=,comm=', '-p', String(pid)];
  const { stdout } = await promisify(execFile)('ps', columns);
  const [, ppid, group, name = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/m.exec(stdout) ?? [];
  return { name: name.trim(), ppid: Number(ppid), group: Number(group) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
