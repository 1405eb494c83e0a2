// `npm test`: jest takes nearly all of the time and leaves a processor idle now and then, so the others run beside it.
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { type Check, runChecks } from './run-checks.ts';

/** They are scripts of package.json. */
const CHECKS: readonly Omit<Check, 'command'>[] = [
  { name: 'build' },
  { name: 'jest', needs: ['build'], isLive: true },
  { name: 'types' },
  { name: 'lint', after: ['types'] },
  { name: 'unused', needs: ['build'], after: ['lint'] },
  { name: 'synth', needs: ['build'], after: ['unused'] },
];

const PackageSchema = v.object({ scripts: v.record(v.string(), v.string()) });
const { scripts } = v.parse(PackageSchema, JSON.parse(readFileSync('package.json', 'utf8')));

// tsc and esbuild are written in Go, and need no more memory when they collect garbage less often: a fifth of the
// processor time of tsc.
process.env['GOGC'] ??= '400';

// Ctrl-C reaches the checks too: they end, and then this does.
process.on('SIGINT', () => {});
const checks = CHECKS.map((check) => ({ ...check, command: scripts[check.name] ?? 'false' }));
const hasPassed = await runChecks(checks, (text) => process.stderr.write(text));
process.exitCode = hasPassed ? 0 : 1;
