import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const CHECK_INTERVAL_MS = 500;

/** Stops when npm has been killed, which does not tell the program that it runs. */
export async function stopWithNpm(interrupt: AbortController): Promise<void> {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const npm = await npmPid(process.ppid);
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    interrupt.abort();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** npm runs a script by a shell, and some shells stay in between. */
async function npmPid(parent: number): Promise<number> {
  const { name, ppid } = await (process.platform === 'linux' ? fromProc : fromPs)(parent);
  return /(^|[/-])(ba|da|a|z|k)?sh$/.test(name) ? ppid : parent;
}

interface Process {
  /** Of its program. */
  readonly name: string;
  readonly ppid: number;
}

/** proc(5), stat; slim containers have no ps. */
async function fromProc(pid: number): Promise<Process> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  const [, name = '', ppid] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? [];
  return { name, ppid: Number(ppid) };
}

async function fromPs(pid: number): Promise<Process> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,comm=', '-p', String(pid)]);
  const [, ppid, name = ''] = /^\s*(\d+)\s+(.*)$/m.exec(stdout) ?? [];
  return { name: name.trim(), ppid: Number(ppid) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
