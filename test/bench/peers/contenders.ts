import type { PeerCase } from './cases.ts';

/** One exporter that is compared. */
export interface Contender {
  readonly name: string;
  /** What `--exporters` calls it. */
  readonly group: string;
  /** File in `test/bench/exporters`; those in `peers/` need the packages of that folder. */
  readonly script: string;
  /** Rows that follow each other on one connection, each remembering what the earlier ones learned. */
  readonly rows: readonly string[];
  /** Whether it is told the API's rate. */
  readonly knowsRate?: true;
  /** Whether it stores what it reads. */
  readonly storesRecords: boolean;
}

export const CONTENDERS: readonly Contender[] = [
  {
    name: 'ours',
    group: 'ours',
    script: 'ours',
    rows: ['ours, first export', 'ours, second export', 'ours, third export'],
    storesRecords: true,
  },
  {
    name: 'ours, rate stated',
    group: 'ours',
    script: 'ours',
    rows: ['ours, requestsPerSecond set'],
    knowsRate: true,
    storesRecords: true,
  },
  peer('ky', 'ky-loop', 'ky, a plain loop'),
  peer('got', 'peers/got-paginate', 'got.paginate'),
  peer('octokit', 'peers/octokit-paginate', 'Octokit paginate + throttling'),
  { ...peer('undici', 'peers/undici-read', 'undici, bytes only (floor)'), storesRecords: false },
];

export const GROUPS: readonly string[] = [...new Set(CONTENDERS.map(({ group }) => group))];
export const SCRIPTS: readonly string[] = [...new Set(CONTENDERS.map(({ script }) => script))];

/** Those that take part in a case. */
export function contendersOf(
  { requestsPerSecond }: PeerCase,
  groups: readonly string[],
): readonly Contender[] {
  const isKnown = requestsPerSecond !== undefined;
  return CONTENDERS.filter(
    ({ group, knowsRate }) => groups.includes(group) && (isKnown || knowsRate !== true),
  );
}

function peer(group: string, script: string, name: string): Contender {
  return { name, group, script, rows: [name], storesRecords: true };
}
