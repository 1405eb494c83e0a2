// What the choices that decide a function's start cost, each beside its alternatives in the same run:
// `npm run bench -- imports`. Every import happens in a process of its own; all take turns.
import { readBenchOptions } from './bench-options.ts';
import { type BenchTable, publish } from './bench-report.ts';
import { measureImports } from './import-times.ts';
import { clients, laziness } from './imports/clients.ts';
import { logAndMetrics } from './imports/log-and-metrics.ts';
import { packages } from './imports/packages.ts';
import type { ImportRow, Question } from './imports/question.ts';
import type { Spread } from './spread.ts';

const { runs, write } = readBenchOptions('imports', 15);
const questions = [packages(), clients(), laziness(), logAndMetrics()];
const bundles = questions.flatMap((question) =>
  question.rows.flatMap((row) =>
    typeof row.bundle === 'string' ? [] : [[keyOf(question, row.what), row.bundle] as const],
  ),
);
const timeOf = measureImports(Object.fromEntries(bundles), runs);

publish(
  {
    name: 'imports',
    command: 'npm run bench -- imports',
    tables: questions.map(tableOf),
    notes: [
      `Medians of ${runs} imports, each in a fresh process on one processor, and the least and the most; the start of Node itself is not in it.`,
      'More: than the first row of the table, or of the same client.',
      "Not bundled: from node_modules, in the place of the copy in Lambda's runtime, which cannot be had elsewhere.",
    ],
    results: questions.map((question) => ({
      question: question.title,
      rows: question.rows.map((row) => ({ what: row.what, ...figuresOf(question, row) })),
    })),
  },
  write,
);

function figuresOf(question: Question, { what, bundle }: ImportRow) {
  return typeof bundle === 'string' ? { notMeasured: bundle } : timeOf(keyOf(question, what));
}

function tableOf(question: Question): BenchTable {
  const { title, rows, first } = question;
  const withFirst = first === undefined ? [] : [`import and ${first}, ms`, 'least to most', 'more'];
  return {
    title,
    head: ['what', 'KiB', 'import ms', 'least to most', 'more', ...withFirst],
    rows: rows.map((row) => cellsOf(question, row)),
  };
}

function cellsOf(question: Question, row: ImportRow): readonly string[] {
  const { what, bundle, beside, isPartial } = row;
  if (typeof bundle === 'string') return [what, `not measured: ${bundle}`];
  const own = timeOf(keyOf(question, what));
  const base = beside === undefined ? undefined : timeOf(keyOf(question, beside));
  return [
    what,
    isPartial === true ? '-' : own.kib.toFixed(0),
    ...timeCells(own.importMs, base?.importMs),
    ...(question.first === undefined
      ? []
      : timeCells(own.importAndFirstMs, base?.importAndFirstMs)),
  ];
}

function timeCells({ median, least, most }: Spread, base: Spread | undefined): readonly string[] {
  const more = base === undefined ? Number.NaN : median - base.median;
  return [
    median.toFixed(1),
    `${least.toFixed(1)} to ${most.toFixed(1)}`,
    Number.isNaN(more) ? '' : `${more < 0 ? '' : '+'}${more.toFixed(1)}`,
  ];
}

function keyOf({ title }: Question, what: string): string {
  return `${title}: ${what}`;
}
