import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const CHECK_INTERVAL_MS = 500;

/** Aborted by Ctrl-C, by a signal that asks to end, and when the npm or npx that runs this program has been killed. */
export function heedSignals(): AbortController {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => interrupt.abort());
  }
  endWithNpm(interrupt);
  return interrupt;
}

/** The shell by which npm runs a program ends at a signal, and passes none on. */
function endWithNpm(interrupt: AbortController): void {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const npm = npmOf(process.pid, process.platform === 'linux' ? fromProc : fromPs);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    interrupt.abort();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/**
 * Finds the process whose end is that of `pid`. At once: when a shell has ended, nobody knows any more who ran it.
 *
 * @returns `undefined` where there is none, or where `pid` was started to outlive it.
 */
export function npmOf(pid: number, lookAt: LookAt): number | undefined {
  try {
    const { ppid, group } = lookAt(pid);
    // Of a group of its own, as `detached` makes it.
    return group === pid ? undefined : firstWithoutShell(ppid, lookAt);
  } catch {
    return undefined;
  }
}

/** Some shells stay between npm and what it runs, others do not, and a script may run another one. */
function firstWithoutShell(pid: number, lookAt: LookAt): number {
  const { name, ppid } = lookAt(pid);
  return /(^|[/-])(ba|da|a|z|k)?sh$/.test(name) ? firstWithoutShell(ppid, lookAt) : pid;
}

/** @throws Error when there is no such process. */
type LookAt = (pid: number) => Process;

interface Process {
  /** Of its program. */
  readonly name: string;
  readonly ppid: number;
  /** The id of the process that leads its group. */
  readonly group: number;
}

/** proc(5), stat; slim containers have no ps. */
function fromProc(pid: number): Process & { readonly state: string | undefined } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [, name = '', state, ppid, group] = /^\d+ \((.*)\) (\S) (\d+) (\d+)/.exec(stat) ?? [];
  return { name, state, ppid: Number(ppid), group: Number(group) };
}

function fromPs(pid: number): Process {
  const columns = ['-o', 'ppid=,pgid=,comm=', '-p', String(pid)];
  const line = execFileSync('ps', columns, { encoding: 'utf8' });
  const [, ppid, group, name = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/m.exec(line) ?? [];
  return { name: name.trim(), ppid: Number(ppid), group: Number(group) };
}

function isAlive(pid: number): boolean {
  try {
    // In a container often nobody asks how a process ended, which stays as a zombie then.
    return process.platform === 'linux' ? fromProc(pid).state !== 'Z' : process.kill(pid, 0);
  } catch {
    return false;
  }
}
