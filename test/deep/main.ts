import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { COUNTS_VARIABLE, DEPTH_VARIABLE, SEED_VARIABLE } from './variables.ts';

/**
 * The tests that can try more than there is time for in `npm test`, which runs a short form of each: the same
 * checks with fewer seeds, crash points, connections and kills.
 *
 *     npm run test:deep                                    all of them, some twenty minutes
 *     npm run test:deep -- test/faults/writes              those of a folder or file
 *     npm run test:deep -- --seed 17 test/many-connections with one seed only, as a failure names it
 *     npm run test:deep -- -t "random faults"              those whose title has this in it
 *
 * At the end it prints what it has tried. A seed gives the same faults each time; but parts are compressed in real
 * time and whole stacks run in it, so what needs a rare order of events may need some tries.
 */
const DEEP_TESTS = [
  'test/consumers/packed-package.test.ts',
  'test/consumers/versions.test.ts',
  'test/docs/reference.test.ts',
  'test/docs/testing-samples.test.ts',
  'test/faults/cancel.test.ts',
  'test/faults/changes/crash-points.test.ts',
  'test/faults/crash-points.test.ts',
  'test/faults/line.test.ts',
  'test/faults/lists.test.ts',
  'test/faults/moving.test.ts',
  'test/faults/organizations.test.ts',
  'test/faults/repeats.test.ts',
  'test/faults/shared-limit.test.ts',
  'test/faults/waits.test.ts',
  'test/faults/writes/crash-points.test.ts',
  'test/faults/writes/organizations.test.ts',
  'test/faults/writes/simulator-log.test.ts',
  'test/faults/writes/throughput.test.ts',
  'test/functions/aws/ledger/export-history.test.ts',
  'test/functions/aws/ledger/export-lines.test.ts',
  'test/functions/http/isolation.test.ts',
  'test/functions/writes/exact-writes.test.ts',
  'test/lib/changes/compare-records.test.ts',
  'test/lib/customers-api/page.test.ts',
  'test/lib/customers-api/retry-after.test.ts',
  'test/lib/customers-api/walks/backward.test.ts',
  'test/lib/customers-api/walks/moving-lists.test.ts',
  'test/lib/exports/packing.test.ts',
  'test/lib/json/scan-json.test.ts',
  'test/lib/key/key-forms.test.ts',
  'test/lib/pace/measured-pace.test.ts',
  'test/many-connections/many-connections.test.ts',
  'test/tables/athena-tables.test.ts',
  'test/infra/simulator/list-history.test.ts',
  'test/infra/local/failed-deployment.test.ts',
  'test/infra/local/start/main.test.ts',
  'test/infra/local/iam/customers-stack.test.ts',
  'test/infra/local/whole-stack/whole-stack.test.ts',
  'test/infra/local/whole-stack/organizations.test.ts',
];

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
