import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './product.ts';

/** What a program leaves. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What makes the runs faster and changes nothing that they do. */
const FASTER = {
  // The CDK's own check of templates takes three seconds of a synthesis; `npm run synth` does it once for all.
  CDK_VALIDATION: 'false',
  // All of them compile the CDK and the same files.
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/recorded'),
} as const;

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
    env: { ...own, ...FASTER, ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
