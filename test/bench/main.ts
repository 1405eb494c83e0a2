// The one way into all benchmarks: `npm run bench -- [name] [options]`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const DEFAULT = 'peers';

/** A file of this folder by name, and what it tells. To add a benchmark, add a line. */
const BENCHES: Readonly<Record<string, string>> = {
  peers: 'our export beside what else one would take, under twelve limits (20 minutes)',
  init: 'how long each function takes to start, beside its SDK clients (1 minute)',
  imports:
    'what the choices behind that cost: how the SDK is bundled, Powertools, lazy clients (2 minutes)',
  synth: "what a user's test of a stack with the integration takes (3 minutes)",
  cost: 'what exports of 1,000 to 10,000,000 customers cost, checked against counted runs (2 minutes)',
  'cpu-per-customer':
    "CPU time of a customer beside the plain ky loop's and a raw read's (7 minutes)",
  http2:
    'pages over HTTP/1.1 and over HTTP/2, at three latencies, 1 to 120 at the same time (9 minutes)',
  'page-steps': 'CPU time of each step of a page beside the least for the same bytes (3 minutes)',
  'step-memory': 'peak memory of steps over 1,000 and 100,000 pages (8 minutes)',
  'hostile-bodies':
    'memory and CPU that hostile answers cost, each in a process of its own (5 minutes)',
  pipeline: 'the whole local stack beside the same worker writing to files (5 minutes)',
  pace: 'how soon an unknown limit is learned, against the ideal (25 minutes)',
  'shared-pace':
    'how long live reads wait while an export is at the limit, and what they cost it (10 minutes)',
  'pace-model': 'the same by five shapes of a learner under 80 limits, in virtual time (6 minutes)',
  'writes-throughput': '10,000 writes at 50 a second (4 minutes)',
  'memory-size':
    'time and cost of an export by memory size, so by share of a processor (8 minutes)',
  'many-connections': 'the exports of 2,000 connections side by side, in virtual time (1 minute)',
  describe: 'time and memory of the report of what records look like, on 1,000,000 (2 minutes)',
  changes: 'time, memory and cost of comparing two exports of 1,000,000 records (8 minutes)',
  walks:
    'what a list that changes while it is read costs and misses, beside a fast walk (8 minutes)',
  'worker-memory': 'peak memory of the worker for 100,000 and 1,000,000 customers (5 minutes)',
};

const [first = DEFAULT, ...rest] = process.argv.slice(2);
const isOption = first.startsWith('-');
const name = isOption ? DEFAULT : first;

if (['help', '--help'].includes(first)) process.stdout.write(help());
else if (name in BENCHES) await run(name, isOption ? [first, ...rest] : rest);
else {
  process.stderr.write(`There is no benchmark ${name}.\n\n${help()}`);
  process.exitCode = 2;
}

async function run(file: string, args: readonly string[]): Promise<void> {
  const script = new URL(`./${file}.ts`, import.meta.url).pathname;
  const flags = ['--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, script, ...args], { stdio: 'inherit' });
  // Ctrl-C reaches the benchmark by itself, as the terminal sends it to the whole group.
  process.on('SIGINT', () => {});
  const [code] = await once(child, 'close');
  process.exitCode = typeof code === 'number' ? code : 1;
}

function help(): string {
  const lines = Object.entries(BENCHES).map(([each, about]) => `  ${each.padEnd(19)}${about}\n`);
  return `npm run bench -- [name] [options]\n\n${lines.join('')}
Without a name: ${DEFAULT}. Options of each: npm run bench -- NAME --help.
Every benchmark prints its table and writes .bench/NAME.json; --write puts the table into docs/performance.md.
`;
}
