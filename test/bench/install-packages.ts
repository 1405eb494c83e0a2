import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packages that only a benchmark looks at, in a folder of their own. */
export type Installed =
  | { readonly kind: 'installed'; readonly nodeModules: string; readonly remove: () => void }
  | { readonly kind: 'not-installed'; readonly why: string };

const TIMEOUT_MS = 120_000;

/** @param packages With exact versions, such as `ky@2.1.0`; none of their scripts run. */
export function installPackages(packages: readonly string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'bench-packages-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
  try {
    execFileSync('npm', ['install', ...flags, '--prefix', folder, ...packages], {
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    return { kind: 'installed', nodeModules: join(folder, 'node_modules'), remove };
  } catch (error) {
    remove();
    return { kind: 'not-installed', why: whyOf(error) };
  }
}

/** npm's first word on it, such as "code ECONNREFUSED". */
function whyOf(error: unknown): string {
  const stderr: unknown = Object(error).stderr;
  const line = typeof stderr === 'string' ? /^npm error (.+)$/m.exec(stderr)?.[1] : undefined;
  return line === undefined ? 'npm install failed' : `npm install: ${line}`;
}
