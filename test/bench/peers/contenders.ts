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
  /** Whether it is told the API's limit. */
  readonly isTold?: true;
  /** Asks one page after the other. */
  readonly isLoop?: true;
  /** Reads bytes and stores nothing: the least that anybody needs. */
  readonly isFloor?: true;
}

export const OUR_FIRST = 'ours, first export';
const OUR_SECOND = 'ours, second export';
/** The walk by default, on the third export. */
export const OUR_VERIFIED = 'ours, verified walk';
const OUR_TOLD = 'ours, requestsPerSecond set';

/** Our rows that know the limit as a peer does that is told it: told, or learned by the export before. */
export const OUR_KNOWING: readonly string[] = [OUR_SECOND, OUR_TOLD];

export const CONTENDERS: readonly Contender[] = [
  {
    name: 'ours',
    group: 'ours',
    script: 'ours',
    rows: [OUR_FIRST, OUR_SECOND, OUR_VERIFIED],
  },
  { name: 'ours, rate stated', group: 'ours', script: 'ours', rows: [OUR_TOLD], isTold: true },
  { ...peer('ky', 'ky-loop', 'ky, a plain loop'), isLoop: true },
  { ...peer('got', 'peers/got-paginate', 'got.paginate'), isLoop: true },
  { ...peer('octokit', 'peers/octokit-paginate', 'Octokit paginate + throttling'), isLoop: true },
  peer('p-limit', 'peers/ky-p-limit', 'ky + p-limit, Retry-After shared'),
  { ...peer('p-queue', 'peers/got-p-queue', 'got + p-queue'), isTold: true },
  { ...peer('bottleneck', 'peers/bottleneck', 'ky + Bottleneck'), isTold: true },
  peer('retry-agent', 'peers/undici-retry', 'undici + RetryAgent'),
  { ...peer('undici', 'peers/undici-read', 'undici, bytes only (floor)'), isFloor: true },
];

export const GROUPS: readonly string[] = [...new Set(CONTENDERS.map(({ group }) => group))];
export const SCRIPTS: readonly string[] = [...new Set(CONTENDERS.map(({ script }) => script))];

/** Those that take part in a case: the floor where no limit is met, ours with a rate where there is one. */
export function contendersOf(peerCase: PeerCase, groups: readonly string[]): readonly Contender[] {
  const { told, throttledShare } = peerCase;
  const isFree = told === undefined && throttledShare === undefined;
  return CONTENDERS.filter(({ group, isTold, isFloor }) => {
    if (!groups.includes(group)) return false;
    if (isFloor === true) return isFree;
    return group !== 'ours' || isTold !== true || told?.requestsPerSecond !== undefined;
  });
}

export function isOurs({ group }: Contender): boolean {
  return group === 'ours';
}

function peer(group: string, script: string, name: string): Contender {
  return { name, group, script, rows: [name] };
}
