// How close the learned pace comes to the ideal under many limits, in virtual time, as the table of
// docs/pace.md: `npm run bench -- pace-model [part of a limit's name]`.
import { measurePace } from '../lib/pace/measured-pace.ts';
import { REALISTIC_LIMITS } from '../lib/pace/realistic-limits.ts';

const EXPORTS = 3;
const LATENCIES_MS = [20, 150];
const SEEDS = [7, 8, 9];

const [, , wanted = ''] = process.argv;
process.stdout.write(
  '| Limit | Latency | First export | Second | Third | Throttled in each |\n|---|---|---|---|---|---|\n',
);
for (const limit of REALISTIC_LIMITS.filter(({ name }) => name.includes(wanted))) {
  for (const latencyMs of LATENCIES_MS) {
    const options = { latencyMs, exports: EXPORTS, seeds: SEEDS };
    const { ratios, throttled, early } = measurePace(limit, options);
    const columns = [limit.name, `${latencyMs} ms`, ...ratios.map((each) => each.toFixed(2))];
    process.stdout.write(`| ${columns.join(' | ')} | ${throttled.join(', ')} |\n`);
    if (early === 0) continue;
    process.stderr.write(`FAILED: ${limit.name}: ${early} early requests\n`);
    process.exitCode = 1;
  }
}
