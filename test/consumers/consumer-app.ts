import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import manifest from '../../package.json' with { type: 'json' };

export const ROOT = join(import.meta.dirname, '../..');
const OutputSchema = v.object({ stdout: v.string(), stderr: v.string() });

const run = promisify(execFile);

export interface Installation {
  /** What `npm publish` would send. */
  readonly tarball: string;
  /** The package as it is installed. */
  readonly folder: string;
  /** A copy of an app in `test/consumers/apps`, or in another folder of the repository. */
  app(name: string, folder?: string): ConsumerApp;
  remove(): void;
}

interface ConsumerApp {
  readonly directory: string;
  /** Runs a program of Node in the app. Gives its standard output; throws with all that it wrote when it fails. */
  node(...args: readonly string[]): Promise<string>;
}

/**
 * Packs what was built, and installs it in a folder for apps. The other packages there are those of the
 * repository, and only those that the package asks for and `more`: what it uses without asking is missing.
 */
export async function install(more: readonly string[]): Promise<Installation> {
  const directory = mkdtempSync(join(tmpdir(), 'customers-consumers-'));
  const modules = join(directory, 'node_modules');
  const folder = join(modules, manifest.name);
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const tarball = join(directory, stdout.trim());
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xf', tarball, '-C', folder, '--strip-components', '1']);
  const { dependencies, peerDependencies } = manifest;
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...more]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(ROOT, 'node_modules/.bin'), join(modules, '.bin'));
  return {
    tarball,
    folder,
    app: (name, from = 'test/consumers/apps') => appIn(directory, name, join(ROOT, from)),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

function appIn(parent: string, name: string, from: string): ConsumerApp {
  const directory = join(parent, name);
  cpSync(join(from, name), directory, { recursive: true });
  // As in a shell of the user's: without what jest and npm have set.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: tmpdir() };
  const node = async (...args: readonly string[]) => {
    try {
      return (await run(process.execPath, args, { cwd: directory, env })).stdout;
    } catch (error) {
      const { stdout, stderr } = v.parse(OutputSchema, error);
      throw new Error(`node ${args.join(' ')}\n${stdout}\n${stderr}`);
    }
  };
  return { directory, node };
}
