import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type Ended, ROOT } from './product.ts';

/**
 * Runs a program to its end in the root of the repository, without a terminal.
 *
 * @param environment Added to this process's own, without what would let a run depend on the machine.
 */
export async function runNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { CUSTOMERS_API_KEY: _key, NODE_EXTRA_CA_CERTS: _ca, ...own } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...own, ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
