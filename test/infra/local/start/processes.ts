import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether the system has /proc as Linux does; the functions below need it. */
export const HAS_PROC = existsSync('/proc/self/stat');

/** Ids of the living processes of a process group. */
export function processesOfGroup(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => groupOf(pid) === group);
}

/** TCP ports on which these processes listen. */
export function portsOf(processes: readonly number[]): readonly number[] {
  const inodes = new Set(processes.flatMap(socketsOf));
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .filter(existsSync)
    .flatMap((table) => readFileSync(table, 'latin1').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENING && inodes.has(fields[9] ?? ''))
    .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
}

/** State of a socket in /proc/net/tcp (Linux, include/net/tcp_states.h). */
const LISTENING = '0A';

/** The fifth field of proc(5) stat; a process that has ended has none. */
function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : Number(group);
  } catch {
    return undefined;
  }
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode ?? [];
    });
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
