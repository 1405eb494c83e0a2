import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const infra = join(import.meta.dirname, '../../../infra');

test.each(['simulator/main.ts', 'local/start/main.ts'])(
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
