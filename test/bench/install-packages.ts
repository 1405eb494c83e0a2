import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that only a benchmark or a deep test needs. */
export type Installed =
  | { readonly kind: 'installed'; readonly nodeModules: string }
  | { readonly kind: 'not-installed'; readonly why: string };

const ROOT = join(import.meta.dirname, '../..');
const FILES = ['package.json', 'package-lock.json'] as const;
const TIMEOUT_MS = 120_000;

/**
 * Installs into `.bench/` what a lock names, unless it is there already. No script of the packages runs.
 *
 * @param folder Of the package.json and the package-lock.json, from the root, such as `test/bench/exporters/peers`.
 */
export function installPackages(folder: string): Installed {
  const [from, to] = [join(ROOT, folder), join(ROOT, '.bench', folder)];
  const nodeModules = join(to, 'node_modules');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
  try {
    if (isInstalled(from, to)) return { kind: 'installed', nodeModules };
    mkdirSync(to, { recursive: true });
    for (const file of FILES) copyFileSync(join(from, file), join(to, file));
    execFileSync('npm', ['ci', ...flags], {
      cwd: to,
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    return { kind: 'installed', nodeModules };
  } catch (error) {
    return { kind: 'not-installed', why: whyOf(error) };
  }
}

/** npm writes the lock in node_modules when all packages are in place. */
function isInstalled(from: string, to: string): boolean {
  const isSame = (file: string) =>
    existsSync(join(to, file)) &&
    readFileSync(join(to, file)).equals(readFileSync(join(from, file)));
  return FILES.every(isSame) && existsSync(join(to, 'node_modules/.package-lock.json'));
}

/** npm's first word on it, such as "code ECONNREFUSED". */
function whyOf(error: unknown): string {
  const stderr: unknown = Object(error).stderr;
  const line = typeof stderr === 'string' ? /^npm error (.+)$/m.exec(stderr)?.[1] : undefined;
  return line === undefined ? 'npm ci failed' : `npm ci: ${line}`;
}
