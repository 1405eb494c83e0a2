import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** What one benchmark found, ready to be printed. */
export interface BenchReport {
  /** As in `npm run bench -- NAME`. */
  readonly name: string;
  readonly command: string;
  readonly tables: readonly BenchTable[];
  /** Sentences below the tables. */
  readonly notes: readonly string[];
  /** All figures, for programs. */
  readonly results: unknown;
}

export interface BenchTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const ROOT = join(import.meta.dirname, '../..');
const RESULTS = join(ROOT, '.bench');
const PAGE = join(ROOT, 'docs/performance.md');
const BYTES_PER_GIB = 1024 ** 3;

/** Prints the report, writes `.bench/NAME.json`, and with `isWritten` puts it into docs/performance.md. */
export function publish(report: BenchReport, isWritten: boolean): void {
  const { name, command, results } = report;
  const text = printed(report);
  process.stdout.write(text);
  mkdirSync(RESULTS, { recursive: true });
  const file = { name, command, date: today(), machine: machine(), results };
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(file, null, 2)}\n`);
  if (isWritten) writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), name, text));
}

/** Tells what did not hold, and ends the benchmark with 1 then. */
export function endWith(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`FAILED: ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function printed({ tables, notes, command }: BenchReport): string {
  const texts = tables.map(({ title, ...table }) => `\n**${title}**\n\n${markdown(table)}`);
  return `${texts.join('')}\n${notes.map((note) => `${note}\n`).join('')}\nMeasured ${today()} on ${machine()}. Again: \`${command}\`\n`;
}

function markdown({ head, rows }: Omit<BenchTable, 'title'>): string {
  const width = (column: number) =>
    Math.max(...[head, ...rows].map((cells) => (cells[column] ?? '').length));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(width(column)) : cell.padStart(width(column)))).join(' | ')} |\n`;
  const rule = head.map((_, column) => {
    const dashes = '-'.repeat(width(column));
    return column === 0 ? dashes : `${dashes.slice(1)}:`;
  });
  return [head, rule, ...rows].map(line).join('');
}

/** Replaces what is between the two marks of a benchmark. */
function withSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench:${name} -->\n`, `<!-- end:${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${PAGE} has no marks ${begin.trim()} and ${end}.`);
  return `${page.slice(0, from + begin.length)}${text}\n${page.slice(to)}`;
}

/** How figures of several runs are shown, as the begin of a note. */
export function runsText(runs: number): string {
  return runs === 1 ? 'One run' : `Medians of ${runs} runs`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function machine(): string {
  const [cpu] = cpus();
  const gib = (totalmem() / BYTES_PER_GIB).toFixed(0);
  return `${cpus().length} processors (${cpu?.model.trim() ?? 'unknown'}), ${gib} GiB, ${process.platform} ${process.arch}, Node ${process.version}`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
