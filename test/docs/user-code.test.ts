import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TYPED_CUSTOMERS } from './typed-customers.ts';

const root = join(import.meta.dirname, '../..');
/** A project of a user who has installed the package as it is published. */
let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'user-code-'));
  const modules = join(project, 'node_modules');
  const installed = join(modules, 'customers-functions');
  mkdirSync(installed, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  // Of the two ways in that the examples use: constructs would take twice as long.
  const build = {
    extends: join(root, '.tsconfig.build.json'),
    compilerOptions: {
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: join(installed, 'dist'),
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [join(root, 'lib'), join(root, 'functions')],
  };
  writeFileSync(join(project, 'build.json'), JSON.stringify(build));
  expect(await compile('-p', join(project, 'build.json'))).toBe('');
  cpSync(join(root, 'examples/own-functions/lambda'), join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/typed-customers.ts'), TYPED_CUSTOMERS);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(project, { recursive: true }));

async function compile(...options: readonly string[]): Promise<string> {
  const compiler = spawn(join(root, 'node_modules/.bin/tsc'), ['--singleThreaded', ...options], {
    cwd: project,
  });
  const [output] = await Promise.all([text(compiler.stdout), once(compiler, 'close')]);
  return output;
}

test.each([true, false])(
  'the examples and typed customers compile with exactOptionalPropertyTypes %p',
  async (exactOptionalPropertyTypes) => {
    const config = join(project, `${exactOptionalPropertyTypes}.json`);
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'esnext.array'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes,
      // As `tsc --init` sets it: the types of middy name a package that is not needed otherwise.
      skipLibCheck: true,
      noEmit: true,
    };
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ['src'] }));

    const files = (await compile('-p', config, '--listFiles')).split('\n');

    expect(files.filter((line) => line.includes('error TS'))).toEqual([]);
    const own = files.filter((line) => line.includes('/src/'));
    expect(own).toHaveLength(readdirSync(join(project, 'src')).length);
  },
);
