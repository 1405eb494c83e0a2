import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { isDeep } from '../../deep/depth.ts';

const infra = join(import.meta.dirname, '../../../infra');

/** What all programs do the same way: in `npm test` each shows one half of it. */
const [COMMAND, START] = ['command/main.ts', 'local/start/main.ts'];

test.each(isDeep ? [COMMAND, START] : [COMMAND])(
  '%s says nothing of a reader that has gone, and ends as it would',
  async (main) => {
    const args = ['--disable-warning=ExperimentalWarning', join(infra, main), '--help'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();

    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);

    expect(said).toBe('');
    expect(code).toBe(0);
  },
);

(existsSync('/dev/full') ? test : test.skip).each(isDeep ? [COMMAND, START] : [START])(
  '%s says in one line that its output cannot be stored',
  async (main) => {
    const args = ['--disable-warning=ExperimentalWarning', join(infra, main), '--help'];
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);

    const stderr = child.stderr ?? Readable.from([]);
    const [said, [code]] = await Promise.all([text(stderr), once(child, 'close')]);

    expect(said).toBe('Cannot write the output (ENOSPC). Send it elsewhere.\n');
    expect(code).toBe(1);
  },
);
