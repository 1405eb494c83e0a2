import { readdirSync, readFileSync } from 'node:fs';

/** How Lambda shares processors out, in slices of this length (the period of Linux' own quota there). */
const PERIOD_MS = 20;
const TICK_MS = 2;
const NS_PER_MS = 1e6;

/**
 * Lets a process have a share of one processor, as a quota does: what it may use grows with time, up to one
 * slice; when it is used up the process is stopped until there is some again. Idle time is not lost to it.
 *
 * @param share 0 to 1.
 * @returns Ends the limit; the process runs on.
 */
export function limitCpu(pid: number, share: number): () => void {
  if (share >= 1) return () => {};
  const most = PERIOD_MS * share;
  let allowedMs = most;
  let usedMs = cpuMsOf(pid);
  let atMs = performance.now();
  let isStopped = false;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const nowUsedMs = cpuMsOf(pid);
    allowedMs = Math.min(most, allowedMs + (nowMs - atMs) * share - (nowUsedMs - usedMs));
    [atMs, usedMs] = [nowMs, nowUsedMs];
    if (allowedMs <= 0 !== isStopped) {
      isStopped = !isStopped;
      signal(pid, isStopped ? 'SIGSTOP' : 'SIGCONT');
    }
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    signal(pid, 'SIGCONT');
  };
}

/** Of all its threads; the first number in each `schedstat` is the time on a processor in ns (proc(5)). */
function cpuMsOf(pid: number): number {
  let ns = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
  } catch {
    // The process, or one of its threads, has ended meanwhile.
  }
  return ns / NS_PER_MS;
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
