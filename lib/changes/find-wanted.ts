import { INDEX_SHARES } from '../exports/part-index.ts';
import { ENTRY_BYTES, RECORDS_TABLE_BYTES, WORDS_AN_ENTRY } from '../exports/records-index.ts';
import { someAtOnce } from '../exports/some-at-once.ts';
import { aboutBytes, recordsIndexKey } from '../exports/store-objects.ts';
import { folderOf } from '../exports/stored-manifest.ts';
import {
  type ComparedExports,
  type ComparePorts,
  SIDES,
  type Side,
  workFolder,
} from './compared-exports.ts';
import { matchEntries, RECORD_WORD } from './match-entries.ts';
import { WantedRecords } from './wanted-records.ts';

/** 20 MB of entries of both exports and 8 MB to match them; more where 256 rounds are not enough, from 268 million on. */
const RECORDS_PER_ROUND = 1024 * 1024;

interface Indexed {
  readonly side: Side;
  readonly key: string;
  /** The number of the first record of the part. */
  readonly start: number;
  /** How many records come before each share, and in all. */
  readonly table: Uint32Array;
}

/**
 * Finds the records that may be added, changed or removed by the indexes of both exports: in rounds, each with a share
 * of all possible hashes from every index. At least one is done; all that are done are stored when time is up, and at
 * the end.
 */
export async function findWanted(
  ports: ComparePorts,
  exports: ComparedExports,
): Promise<WantedRecords | undefined> {
  const key = `${workFolder(exports)}wanted`;
  const [stored] = await ports.store.list(key);
  const wanted = new WantedRecords(
    exports,
    stored && (await ports.store.readBytes(key, 0, stored.bytes)),
  );
  const rounds = roundsOf(exports);
  if (wanted.rounds >= rounds) return wanted;
  const indexes = await readTables(ports, exports, wanted);
  const keep = () => ports.store.put(key, wanted.stored, aboutBytes(wanted.stored));
  while (wanted.rounds < rounds) {
    const shareAt = (round: number) => Math.floor((round * INDEX_SHARES) / rounds);
    const shares = { from: shareAt(wanted.rounds), to: shareAt(wanted.rounds + 1) };
    const before = await readEntries(ports, indexes, 'before', shares);
    const now = await readEntries(ports, indexes, 'now', shares);
    matchEntries(before, now, (record) => wanted.want(record));
    wanted.rounds++;
    if (wanted.rounds < rounds && ports.isTimeUp()) {
      await keep();
      return undefined;
    }
  }
  await keep();
  return wanted;
}

function roundsOf(exports: ComparedExports): number {
  const records = SIDES.flatMap((side) => exports[side].parts).reduce(
    (sum, { customers }) => sum + customers,
    0,
  );
  return Math.min(INDEX_SHARES, Math.max(1, Math.ceil(records / RECORDS_PER_ROUND)));
}

async function readTables(
  { store }: ComparePorts,
  exports: ComparedExports,
  wanted: WantedRecords,
): Promise<readonly Indexed[]> {
  const indexes = SIDES.flatMap((side) =>
    exports[side].parts.map((part, position) => ({
      side,
      key: recordsIndexKey(folderOf(part.key), position + 1),
      start: wanted.startOf(side, position),
    })),
  );
  return someAtOnce(indexes, async (index) => {
    const bytes = await store.readBytes(index.key, 0, RECORDS_TABLE_BYTES);
    return { ...index, table: new Uint32Array(new Uint8Array(bytes).buffer) };
  });
}

/** The entries of some shares from all indexes of one export, with the numbers of the records. */
async function readEntries(
  { store }: ComparePorts,
  indexes: readonly Indexed[],
  side: Side,
  shares: { readonly from: number; readonly to: number },
): Promise<Uint32Array> {
  let count = 0;
  const slices = indexes
    .filter((index) => index.side === side)
    .map(({ key, start, table }) => {
      const from = table[shares.from] ?? 0;
      const to = table[shares.to] ?? 0;
      const at = count;
      count += to - from;
      return { key, start, from, to, at };
    });
  const entries = new Uint32Array(count * WORDS_AN_ENTRY);
  const bytes = new Uint8Array(entries.buffer);
  await someAtOnce(
    slices.filter(({ from, to }) => to > from),
    async ({ key, start, from, to, at }) => {
      const first = RECORDS_TABLE_BYTES + from * ENTRY_BYTES;
      const end = RECORDS_TABLE_BYTES + to * ENTRY_BYTES;
      bytes.set(await store.readBytes(key, first, end), at * ENTRY_BYTES);
      const last = (at + to - from) * WORDS_AN_ENTRY;
      for (let word = at * WORDS_AN_ENTRY + RECORD_WORD; word < last; word += WORDS_AN_ENTRY) {
        entries[word] = (entries[word] ?? 0) + start;
      }
    },
  );
  return entries;
}
