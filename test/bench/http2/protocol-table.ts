import type { BenchTable } from '../bench-report.ts';
import type { ReadUsage } from '../exporters/read-pages.ts';
import { spread } from '../spread.ts';
import { READERS, type Reader } from './readers.ts';

/** What the readers needed for the same pages, so many at the same time. */
export interface ReadGroup {
  readonly atOnce: number;
  readonly pages: number;
  /** One of each run. */
  readonly usages: ReadonlyMap<Reader, readonly ReadUsage[]>;
}

const BYTES_PER_MB = 1e6;

/** A row for each reader; memory and connections are those of the most requests at the same time. */
export function protocolTable(title: string, groups: readonly ReadGroup[]): BenchTable {
  const atOnces = groups.map(({ atOnce }) => atOnce);
  const rows = READERS.map((reader) => {
    const most = groups.at(-1)?.usages.get(reader) ?? [];
    return [
      reader.title,
      ...groups.map((group) => medianOf(group, reader, pagesASecond).toFixed(0)),
      ...groups.map((group) => medianOf(group, reader, cpuMsAPage).toFixed(2)),
      spread(most.map(({ peakMemoryBytes }) => peakMemoryBytes / BYTES_PER_MB)).median.toFixed(0),
      String(Math.max(...most.map(({ connections }) => connections))),
    ];
  });
  const [first, ...more] = atOnces.map(String);
  const head = [
    'read by',
    ...[`pages a second: ${first} at once`, ...more],
    ...[`ms CPU a page: ${first} at once`, ...more],
    `peak RSS MB: ${atOnces.at(-1)} at once`,
    'connections',
  ];
  return { title, head, rows };
}

type Figure = (usage: ReadUsage, pages: number) => number;

const pagesASecond: Figure = ({ wallMs }, pages) => (pages * 1000) / wallMs;
const cpuMsAPage: Figure = ({ cpuMs }, pages) => cpuMs / pages;

function medianOf({ usages, pages }: ReadGroup, reader: Reader, figure: Figure): number {
  return spread((usages.get(reader) ?? []).map((usage) => figure(usage, pages))).median;
}
