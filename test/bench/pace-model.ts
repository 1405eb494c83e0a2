// How close the learned pace comes to the ideal under many limits, in virtual time, as the tables of
// docs/learned-pace.md: `npm run bench -- pace-model [part of a limit's name]`.
import { AimdPace } from '../lib/pace/aimd-pace.ts';
import { measurePace } from '../lib/pace/measured-pace.ts';
import { NoPace } from '../lib/pace/no-pace.ts';
import { REALISTIC_LIMITS } from '../lib/pace/realistic-limits.ts';

const EXPORTS = 3;
const LATENCIES_MS = [20, 150];
const SEEDS = [7, 8, 9];
/** Which requests meet a throttle is luck: more of them tell more. */
const SEEDS_BY_CHANCE = [7, 8, 9, 10, 11, 12, 13, 14];

/** How many rows keep these bounds is what the shapes are compared by. */
const MAX_FIRST = 1.2;
const MAX_LATER = 1.05;

/** For TCP and for TLS 1.3 (RFC 8446, section 2). */
const CONNECTING = { connectLatencies: 2 };

const OURS = 'Likely limits';
const SHAPES = [
  { name: OURS, options: {} },
  { name: 'The same, and connections take two latencies', options: CONNECTING },
  {
    name: 'The same, and nobody tells when requests leave',
    options: { ...CONNECTING, tellsLeaving: false },
  },
  {
    name: 'AIMD with change detection',
    options: { pacerOf: (text: string | undefined) => new AimdPace(text) },
  },
  { name: 'No pace, only the waits', options: { pacerOf: () => new NoPace() } },
];

const [, , wanted = ''] = process.argv;
const rows = REALISTIC_LIMITS.filter(({ name }) => name.includes(wanted)).flatMap((limit) =>
  LATENCIES_MS.map((latencyMs) => ({ limit, latencyMs })),
);

process.stdout.write(
  '| Limit | Latency | First export | Second | Third | Throttled in each |\n|---|---|---|---|---|---|\n',
);
const summary: string[] = [];
for (const { name, options } of SHAPES) {
  let kept = 0;
  const firsts: number[] = [];
  const laters: number[] = [];
  const began = process.cpuUsage();
  for (const { limit, latencyMs } of rows) {
    const seeds = limit.limiter().isByChance ? SEEDS_BY_CHANCE : SEEDS;
    const measured = measurePace(limit, { ...options, latencyMs, exports: EXPORTS, seeds });
    const { ratios, throttled, early } = measured;
    const [first = 0, ...later] = ratios;
    firsts.push(first);
    laters.push(Math.max(...later));
    if (first <= MAX_FIRST && Math.max(...later) <= MAX_LATER) kept++;
    if (name === OURS) {
      const columns = [limit.name, `${latencyMs} ms`, ...ratios.map((each) => each.toFixed(2))];
      process.stdout.write(`| ${columns.join(' | ')} | ${throttled.join(', ')} |\n`);
    }
    if (early === 0) continue;
    process.stderr.write(`FAILED: ${limit.name}: ${early} early requests\n`);
    process.exitCode = 1;
  }
  const { user, system } = process.cpuUsage(began);
  const pages = rows.reduce((sum, { limit }) => sum + limit.pages * EXPORTS * SEEDS.length, 0);
  const figures = [firsts, laters].flatMap((each) => [middle(each), Math.max(...each)]);
  summary.push(
    `| ${name} | ${kept} of ${rows.length} | ${figures.map((each) => each.toFixed(2)).join(' | ')} | ${((user + system) / pages).toFixed(0)} |`,
  );
}
process.stdout.write(
  `\n| Shape | Within ${MAX_FIRST} and ${MAX_LATER} | First export, median | worst | Later, median | worst | µs CPU a page, with the model of the API |\n|---|---|---|---|---|---|---|\n${summary.join('\n')}\n`,
);

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
