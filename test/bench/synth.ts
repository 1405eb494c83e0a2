// What a user's test of a stack takes, beside the same test of one function: `npm run bench -- synth`. The packed package
// is in an app of its own, and each test runs in a fresh jest; all take turns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { checkBuild } from '../../infra/build/built-sources.ts';
import { install, ROOT } from '../consumers/consumer-app.ts';
import { readBenchOptions } from './bench-options.ts';
import { median, publish } from './bench-report.ts';

/** What a user may expect of a test without the CDK's own check. */
const BOUND_MS = 2_000;
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const FiguresSchema = v.object({ elapsedMs: v.number(), cpuMs: v.number() });

const CASES = [
  { part: 'integration', isValidated: false, title: 'the integration' },
  { part: 'lambda', isValidated: false, title: 'one function' },
  { part: 'integration', isValidated: true, title: "the integration, and the CDK's own check" },
  { part: 'lambda', isValidated: true, title: "one function, and the CDK's own check" },
] as const;

const { runs, write } = readBenchOptions('synth', 5);
checkBuild();
const installation = await install([]);
const measured = CASES.map((each) => {
  const seen: v.InferOutput<typeof FiguresSchema>[] = [];
  return { ...each, seen };
});
try {
  const { node, directory } = installation.app('synth-app', { from: 'test/bench' });
  for (let run = 0; run < runs; run++) {
    for (const { part, isValidated, seen } of measured) {
      const globals = JSON.stringify({ measured: { part, isValidated } });
      await node(JEST, '--runInBand', '--globals', globals);
      const figures: unknown = JSON.parse(readFileSync(join(directory, 'figures.json'), 'utf8'));
      seen.push(v.parse(FiguresSchema, figures));
    }
  }
} finally {
  installation.remove();
}

const results = measured.map(({ title, isValidated, seen }) => ({
  title,
  isValidated,
  elapsedMs: median(seen.map(({ elapsedMs }) => elapsedMs)),
  cpuMs: median(seen.map(({ cpuMs }) => cpuMs)),
}));
publish(
  {
    name: 'synth',
    command: 'npm run bench -- synth',
    tables: [
      {
        title: "A user's test of a stack: load, construct, Template.fromStack",
        head: ['stack with', 'ms', 'CPU ms'],
        rows: results.map(({ title, elapsedMs, cpuMs }) => [
          title,
          elapsedMs.toFixed(0),
          cpuMs.toFixed(0),
        ]),
      },
    ],
    notes: [
      `Medians of ${runs}, each in a fresh jest; the start of jest is not in it. Without the CDK's check: \`CDK_VALIDATION=false\`.`,
    ],
    results,
  },
  write,
);
for (const { title, isValidated, cpuMs } of results) {
  if (isValidated || cpuMs <= BOUND_MS) continue;
  process.stderr.write(`FAILED: ${title} takes ${cpuMs.toFixed(0)} ms.\n`);
  process.exitCode = 1;
}
