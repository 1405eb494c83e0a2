// Our export beside what else one would take, in the same run, against the same simulated API:
// `npm run bench`. Every export is made by a process of its own; all are bundled in the same way.
// Fails when a peer that keeps the rules is faster by more than 5 %.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish, runsText } from './bench-report.ts';
import { bundleExporter, type Exporter } from './exporter-process.ts';
import { installPackages } from './install-packages.ts';
import { CASES, type PeerCase } from './peers/cases.ts';
import { contendersOf, GROUPS, isOurs, SCRIPTS } from './peers/contenders.ts';
import { type Measured, measureContender } from './peers/measure-contender.ts';
import { type Contest, inSeconds, problemsOf, rowsOf, tableOf } from './peers/peer-table.ts';
import { secondsOfAll, type Turn, takeTurns } from './peers/turns.ts';

/** While it is measured. */
interface OpenContest extends Contest {
  readonly measured: Measured[];
  readonly problems: string[];
}

const options = readBenchOptions('peers', 5, {
  cases: CASES.map(({ name }) => name),
  exporters: GROUPS,
});
const { cases: names = [], exporters: groups = [] } = options.only;
const cases = CASES.filter(({ name }) => names.includes(name));
const contests = new Map(cases.map((peerCase) => [peerCase, contestsOf(peerCase)] as const));
const turns = [...contests].flatMap(([peerCase, all]) =>
  Array.from({ length: options.runs }, (_, run) =>
    all.map(({ contender }) => ({ peerCase, contender, run })),
  ).flat(),
);
const minutes = Math.ceil(secondsOfAll(turns) / 60);
say(`${cases.length} cases, ${options.runs} runs each: about ${minutes} minutes.`);

const installed = installPackages('test/bench/exporters/peers');
if (installed.kind === 'not-installed')
  throw new Error(`The peers could not be installed: ${installed.why}`);

const bundles = mkdtempSync(join(tmpdir(), 'bench-bundles-'));
const exporters = new Map<string, Exporter>();
const problems: string[] = [];
try {
  for (const script of SCRIPTS)
    exporters.set(script, bundleExporter(script, bundles, [installed.nodeModules]));
  await takeTurns(turns, measureTurn);
} finally {
  rmSync(bundles, { recursive: true, force: true });
}
for (const [peerCase, all] of contests) report(peerCase, all);
for (const problem of problems) say(`FAILED: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function contestsOf(peerCase: PeerCase): readonly OpenContest[] {
  return contendersOf(peerCase, groups).map((contender) => ({
    contender,
    measured: [],
    problems: [],
  }));
}

async function measureTurn({ peerCase, contender, run }: Turn): Promise<void> {
  const exporter = exporters.get(contender.script);
  const contest = contests.get(peerCase)?.find((each) => each.contender === contender);
  if (exporter === undefined || contest === undefined) throw new Error(`No ${contender.script}.`);
  try {
    const measured = await measureContender(contender, peerCase, run, exporter);
    contest.measured.push(...measured);
    for (const { row, wallMs, throttles } of measured) {
      say(
        `${peerCase.name}, run ${run + 1}, ${row}: ${inSeconds(wallMs)} s, ${throttles} throttled`,
      );
    }
  } catch (error) {
    // A peer may give up, which the table says. Ours may not.
    if (isOurs(contender)) throw error;
    contest.problems.push(String(error));
    say(`${peerCase.name}, run ${run + 1}, ${contender.name} gave up: ${error}`);
  }
}

/** Each case has its own place in the page, so that it can be measured alone. */
function report(peerCase: PeerCase, contests: readonly Contest[]): void {
  const { name, pages } = peerCase;
  const rows = rowsOf(peerCase, contests);
  problems.push(...problemsOf(rows).map((problem) => `${name}: ${problem}`));
  const gaveUp = contests
    .filter((contest) => contest.problems.length > 0)
    .map(
      (contest) =>
        `${contest.contender.name} gave up ${contest.problems.length} times of ${options.runs}.`,
    );
  publish(
    {
      name: `peers-${name}`,
      command: `npm run bench -- peers --cases ${name}`,
      tables: [tableOf(peerCase, rows)],
      notes: [`${runsText(options.runs)}. ${gaveUp.join(' ')}`.trim()],
      results: { case: name, pages, contests },
    },
    options.write,
  );
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
