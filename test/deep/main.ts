import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { COUNTS_VARIABLE, DEPTH_VARIABLE, SEED_VARIABLE } from './variables.ts';

/**
 * The tests that import depth.ts. They can try more than there is time for in `npm test`, which runs a short form of
 * each: the same checks with fewer seeds, crash points, connections and kills.
 *
 *     npm run test:deep                                    all of them, some twenty minutes
 *     npm run test:deep -- test/faults/writes              those of a folder or file
 *     npm run test:deep -- --seed 17 test/many-connections with one seed only, as a failure names it
 *     npm run test:deep -- -t "random faults"              those whose title has this in it
 *
 * At the end it prints what it has tried. A seed gives the same faults each time; but parts are compressed in real
 * time and whole stacks run in it, so what needs a rare order of events may need some tries.
 */
const DEEP_TESTS = globSync('test/**/*.test.ts')
  .filter((path) => readFileSync(path, 'utf8').includes("/deep/depth.ts'"))
  .toSorted();

const CountSchema = v.tuple([v.string(), v.number()]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    title: { type: 'string', short: 't' },
  },
});
const { seed, title } = values;
if (seed !== undefined && !/^\d+$/.test(seed)) {
  process.stderr.write(`--seed: expected a whole number, got ${seed}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'test-deep-'));
const counts = join(folder, 'counts');
writeFileSync(counts, '');
try {
  process.exitCode = await runJest();
  report();
} finally {
  rmSync(folder, { recursive: true });
}

async function runJest(): Promise<number> {
  const tests = DEEP_TESTS.filter(
    (path) => positionals.length === 0 || positionals.some((each) => path.startsWith(each)),
  );
  if (tests.length === 0) {
    process.stderr.write(`There is no deep test in ${positionals.join(', ')}.\n`);
    return 2;
  }
  const titles = title === undefined ? [] : ['-t', title];
  const jest = spawn(
    'npm',
    ['run', '--silent', 'jest', '--', '--runTestsByPath', ...tests, ...titles],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        [DEPTH_VARIABLE]: 'deep',
        [COUNTS_VARIABLE]: counts,
        ...(seed === undefined ? {} : { [SEED_VARIABLE]: seed }),
      },
    },
  );
  const [code] = await once(jest, 'close');
  return code === 0 ? 0 : 1;
}

function report(): void {
  const totals = new Map<string, number>();
  for (const line of readFileSync(counts, 'utf8').split('\n').filter(Boolean)) {
    const [what, count] = v.parse(CountSchema, JSON.parse(line));
    totals.set(what, (totals.get(what) ?? 0) + count);
  }
  process.stdout.write('Tried:\n');
  for (const [what, count] of totals) {
    process.stdout.write(`${count.toLocaleString('en').padStart(10)} ${what}\n`);
  }
}
