import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { defined } from '../../../lib/defined.ts';

const BYTES_PER_KIB = 1024;
// Every Linux that Node.js 24 supports on x64 and arm64 defaults to it.
const PAGE_BYTES = 4096;

/** Resident memory of a process in bytes; 0 when the process is gone. */
export async function residentBytes(pid: number, platform = process.platform): Promise<number> {
  return platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** At once: it is no disk, and asked for so often a promise costs ten times as much. */
function fromProc(pid: number): number {
  try {
    const [, residentPages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
    return Number(residentPages) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

async function fromPs(pid: number): Promise<number> {
  try {
    const { PATH } = process.env;
    // Not the whole environment, which may hold the key: NODE_DEBUG prints that of each process that is started.
    const env = defined({ PATH });
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)], { env });
    return Number(stdout) * BYTES_PER_KIB;
  } catch {
    return 0;
  }
}
