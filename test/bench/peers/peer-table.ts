import { type BenchTable, median } from '../bench-report.ts';
import { PER_PAGE, type PeerCase } from './cases.ts';
import { type Contender, isOurs, OUR_FIRST, OUR_KNOWING } from './contenders.ts';
import type { Measured } from './measure-contender.ts';

/** What one contender did in all runs of a case. */
export interface Contest {
  readonly contender: Contender;
  readonly measured: readonly Measured[];
  /** Why it gave up, where it did. */
  readonly problems: readonly string[];
}

/** A row of the table, in figures. */
export interface PeerRow {
  readonly name: string;
  readonly contender: Contender;
  readonly runs: readonly Measured[];
  readonly wallMs: number;
  /** Its wall time by that of ours; absent for ours, and where ours did not take part. */
  readonly ofOurs?: number;
  /** Most of any run. */
  readonly early: number;
  readonly lost: number;
  readonly doubled: number;
}

/** How much faster a peer may be. */
const MARGIN = 0.05;
const BYTES_PER_MIB = 1024 * 1024;

const HEAD = [
  'exporter',
  'told',
  'wall s',
  'x ideal',
  'x ours',
  'µs CPU a customer',
  'peak RSS MB',
  'requests',
  'throttled',
  'early',
  'lost',
  'doubled',
  'ids wrong',
  'bytes changed',
  'wall s, min to max',
] as const;

export function rowsOf({ told }: PeerCase, contests: readonly Contest[]): readonly PeerRow[] {
  const rows = contests.flatMap(({ contender, measured }) =>
    contender.rows
      .map((name) => ({ name, runs: measured.filter(({ row }) => row === name) }))
      .filter(({ runs }) => runs.length > 0)
      .map(({ name, runs }) => ({ name, contender, runs, wallMs: median(runs.map(wallOf)) })),
  );
  const fastestOf = (names: readonly string[]) =>
    Math.min(...rows.filter(({ name }) => names.includes(name)).map(({ wallMs }) => wallMs));
  return rows.map((row) => {
    const { contender, runs, wallMs } = row;
    const knows = contender.isTold === true && told !== undefined;
    const oursMs = fastestOf(knows ? OUR_KNOWING : [OUR_FIRST]);
    const isCompared = !isOurs(contender) && contender.isFloor !== true && oursMs < Infinity;
    const most = (read: (measured: Measured) => number) => Math.max(...runs.map(read));
    return {
      ...row,
      ...(isCompared ? { ofOurs: wallMs / oursMs } : {}),
      early: most(({ early }) => early),
      lost: most(({ output }) => output?.lost ?? 0),
      doubled: most(({ output }) => output?.doubled ?? 0),
    };
  });
}

export function tableOf(peerCase: PeerCase, rows: readonly PeerRow[]): BenchTable {
  const customers = peerCase.pages * PER_PAGE;
  const floor = rows.find(({ contender }) => contender.isFloor === true);
  const idealMs = peerCase.idealMs ?? floor?.wallMs ?? Number.NaN;
  return {
    title: `${peerCase.title}: ${customers.toLocaleString('en-US')} customers. Ideal ${inSeconds(idealMs)} s: ${peerCase.ideal}`,
    head: HEAD,
    rows: rows.map((row) => cellsOf(row, peerCase, idealMs)),
  };
}

/** What must not be: a mistake of ours, and a peer that makes none and is faster. */
export function problemsOf(rows: readonly PeerRow[]): readonly string[] {
  return rows.flatMap((row) => {
    const { name, contender, ofOurs = 1, early, lost, doubled } = row;
    if (isOurs(contender)) {
      return isRight(row) ? [] : [`${name}: ${early} early, ${lost} lost, ${doubled} doubled`];
    }
    const isBetter = isFaster(row) && isRight(row);
    return isBetter ? [`${name} takes ${ofOurs.toFixed(2)} times as long as ours`] : [];
  });
}

function isFaster({ ofOurs = 1 }: PeerRow): boolean {
  return ofOurs < 1 - MARGIN;
}

function isRight({ early, lost, doubled }: PeerRow): boolean {
  return early === 0 && lost === 0 && doubled === 0;
}

function cellsOf(row: PeerRow, { pages, told }: PeerCase, idealMs: number): readonly string[] {
  const { name, contender, runs, wallMs, ofOurs, early, lost, doubled } = row;
  const of = (read: (measured: Measured) => number) => median(runs.map(read));
  const walls = runs.map(wallOf);
  const outputs = runs.flatMap(({ output }) => output ?? []);
  const worst = (read: (output: (typeof outputs)[number]) => number) =>
    outputs.length === 0 ? '-' : counted(Math.max(...outputs.map(read)));
  return [
    name,
    contender.isTold === true && told !== undefined ? told.text : '-',
    inSeconds(wallMs),
    (wallMs / idealMs).toFixed(2),
    ofOurs === undefined ? '-' : `${ofOurs.toFixed(2)}${isFaster(row) ? ' faster' : ''}`,
    of(({ cpuMs }) => (cpuMs * 1000) / (pages * PER_PAGE)).toFixed(1),
    of(({ peakMemoryBytes }) => peakMemoryBytes / BYTES_PER_MIB).toFixed(0),
    of(({ requests }) => requests).toFixed(0),
    of(({ throttles }) => throttles).toFixed(0),
    counted(early),
    outputs.length === 0 ? '-' : counted(lost),
    outputs.length === 0 ? '-' : counted(doubled),
    worst(({ wrongIds }) => wrongIds),
    worst(({ changedBytes }) => changedBytes),
    `${inSeconds(Math.min(...walls))} to ${inSeconds(Math.max(...walls))}`,
  ];
}

function wallOf({ wallMs }: Measured): number {
  return wallMs;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}

export function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
