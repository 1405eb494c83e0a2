import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import manifest from '../../package.json' with { type: 'json' };

export const ROOT = join(import.meta.dirname, '../..');
/** Of the examples, for the app `cdk-app`. */
export const SHOP_FUNCTIONS = ['read-customer.ts'];
const OutputSchema = v.object({ stdout: v.string(), stderr: v.string() });

const run = promisify(execFile);

export interface Installation {
  /** What `npm publish` would send. */
  readonly tarball: string;
  app(name: string, options?: AppOptions): ConsumerApp;
  remove(): void;
}

interface AppOptions {
  /** Folder of the repository that the app is copied from. @default 'test/consumers/apps' */
  readonly from?: string;
  /** Functions of the examples that the app has too: names of files. @default none */
  readonly functions?: readonly string[];
  /** Whether the CDK bundles its functions, half a second for each. @default true */
  readonly isBundled?: boolean;
  /** Installed package with the Node.js that runs the app. @default - this one */
  readonly nodePackage?: string;
}

interface ConsumerApp {
  readonly directory: string;
  /** Runs a program of Node in the app. Gives its standard output; throws with all that it wrote when it fails. */
  node(...args: readonly string[]): Promise<string>;
}

/**
 * Packs what was built, and installs it in a folder for apps.
 *
 * @param more Packages that are installed beside it.
 * @param from `repository`: other packages are those of the repository, and only those that the package asks for and
 * `more`, so what it uses without asking is missing. `registry`: npm installs them, `more` with their versions.
 */
export async function install(
  more: readonly string[],
  from: 'repository' | 'registry' = 'repository',
): Promise<Installation> {
  const directory = mkdtempSync(join(tmpdir(), 'customers-consumers-'));
  const modules = join(directory, 'node_modules');
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const tarball = join(directory, stdout.trim());
  if (from === 'registry') await installAll(directory, [tarball, ...more]);
  else await linkAll(modules, tarball, more);
  return {
    tarball,
    app: (name, options) => appIn(directory, name, options),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

async function installAll(directory: string, packages: readonly string[]): Promise<void> {
  writeFileSync(join(directory, 'package.json'), '{}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['install', ...options, ...packages], { cwd: directory });
}

async function linkAll(modules: string, tarball: string, more: readonly string[]): Promise<void> {
  const folder = join(modules, manifest.name);
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xf', tarball, '-C', folder, '--strip-components', '1']);
  const { dependencies, peerDependencies } = manifest;
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...more]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(ROOT, 'node_modules/.bin'), join(modules, '.bin'));
}

function appIn(parent: string, name: string, options: AppOptions = {}): ConsumerApp {
  const { from = 'test/consumers/apps', functions = [], isBundled = true, nodePackage } = options;
  const program =
    nodePackage === undefined
      ? process.execPath
      : join(parent, 'node_modules', nodePackage, 'bin/node');
  const directory = join(parent, name);
  cpSync(join(ROOT, from, name), directory, { recursive: true });
  for (const file of functions) {
    cpSync(join(ROOT, 'examples/own-functions/lambda', file), join(directory, 'lambda', file));
  }
  // As in a shell of the user's: without what jest and npm have set. The CDK's own check of a template takes longer than
  // all else, and `npm run synth` makes it.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{ PATH, HOME, NODE_COMPILE_CACHE, TMPDIR: tmpdir(), CDK_VALIDATION: 'false' },
    ...(isBundled ? {} : { CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' }),
  };
  const node = async (...args: readonly string[]) => {
    try {
      return (await run(program, args, { cwd: directory, env })).stdout;
    } catch (error) {
      const { stdout, stderr } = v.parse(OutputSchema, error);
      throw new Error(`node ${args.join(' ')}\n${stdout}\n${stderr}`);
    }
  };
  return { directory, node };
}
