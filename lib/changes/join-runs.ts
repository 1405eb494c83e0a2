import * as v from 'valibot';
import { idSpan } from '../customers-api/record-places.ts';
import { someAtOnce } from '../exports/some-at-once.ts';
import { textOf } from '../json/json-text.ts';
import type { Stored } from '../stored.ts';
import { canonicalHash } from './canonical-hash.ts';
import { type Change, lineHead } from './change.ts';
import { type ChangesFile, ChangesFileSchema } from './changes-summary.ts';
import { ChangesWriter } from './changes-writer.ts';
import {
  COMPARE_SIZES,
  type ComparedExports,
  type ComparePorts,
  type Unusable,
} from './compared-exports.ts';
import { differingMembers } from './differing-members.ts';
import { ReaderQueue } from './reader-queue.ts';
import { compareIds, type RunHead, type RunRecord } from './record-run.ts';
import { RunReader } from './run-reader.ts';
import type { SpilledRun } from './spill-records.ts';

/** What is in memory of all runs. */
const PIECES_BYTES = 16 * 1024 * 1024;
const MIN_PIECE_BYTES = 64 * 1024;
const MAX_PIECE_BYTES = 1024 * 1024;

/**
 * Texts that are compared for one file, as a multiple of what it holds: the old and the new ones, where all are changed.
 * Where few differ in more than their form a file ends for that, and the work goes on behind it.
 */
const READ_FOR_A_FILE = 2;

/** Where each run goes on, and the files of the changes before. */
export const JoinedSchema = v.object({
  positions: v.array(v.number()),
  files: v.array(ChangesFileSchema),
});
type Joined = Stored<typeof JoinedSchema>;

/**
 * Reads all runs at the same time, brings the records of each id together, and writes what differs. At least one file
 * is done.
 *
 * @param keep Called with what is stored.
 */
export async function joinRuns(
  ports: ComparePorts,
  exports: ComparedExports,
  { runs, soFar }: { readonly runs: readonly SpilledRun[]; readonly soFar: Joined },
  keep: (joined: Joined) => void,
): Promise<
  | Unusable
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'joined'; readonly files: readonly ChangesFile[] }
> {
  const readers = await openRuns(ports, runs, soFar.positions);
  const queue = new ReaderQueue(readers);
  const writer = new ChangesWriter(ports.store, exports, soFar.files);
  const state = () => ({
    positions: readers.map(({ position }) => position),
    files: [...writer.files],
  });
  const { fileBytes } = exports.sizes ?? COMPARE_SIZES;
  let readBytes = 0;
  for (let found = await nextId(queue); found !== undefined; found = await nextId(queue)) {
    const { twice } = found;
    if (twice !== undefined) return sameId(exports, found[twice.side] ?? twice, twice);
    const isWritten = await writeChange(writer, exports, found);
    readBytes += bytesOf(found);
    const isEnough = readBytes >= READ_FOR_A_FILE * fileBytes;
    if (!isEnough && !(isWritten && writer.isAtFileEnd)) continue;
    await writer.end();
    readBytes = 0;
    if (!ports.isTimeUp()) continue;
    keep(state());
    return { kind: 'unfinished' };
  }
  await writer.end();
  keep(state());
  return { kind: 'joined', files: writer.files };
}

async function openRuns(
  { store }: ComparePorts,
  runs: readonly SpilledRun[],
  positions: readonly number[],
): Promise<readonly RunReader[]> {
  const share = Math.floor(PIECES_BYTES / Math.max(1, runs.length));
  const pieceBytes = Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, share));
  return someAtOnce([...runs.entries()], async ([index, { key, bytes }]) => {
    const read = (from: number, to: number) => store.readBytes(key, from, to);
    const reader = new RunReader({ bytes, read }, positions[index] ?? 0, pieceBytes);
    await reader.advance();
    return reader;
  });
}

interface Found {
  readonly before?: RunRecord;
  readonly now?: RunRecord;
  /** Another one of the same export. */
  readonly twice?: RunRecord;
}

function bytesOf({ before, now }: Found): number {
  return (before?.text.length ?? 0) + (now?.text.length ?? 0);
}

async function nextId(queue: ReaderQueue): Promise<Found | undefined> {
  let found: Found | undefined;
  let id: RunHead | undefined;
  while (true) {
    const reader = queue.first;
    const head = reader?.head;
    if (reader === undefined || head === undefined) return found;
    if (id !== undefined && compareIds(head, id) !== 0) return found;
    const record = { ...head, text: await reader.text() };
    if (!reader.tryAdvance()) await reader.advance();
    queue.settle();
    if (found?.[head.side] !== undefined) return { ...found, twice: record };
    found = { ...found, [head.side]: record };
    id = head;
  }
}

/** Reasons are logged, so the id is not in it. */
function sameId(
  exports: ComparedExports,
  one: Omit<RunRecord, 'side'>,
  { side, ...other }: RunRecord,
): Unusable {
  const [first, second] = [one, other].map(({ part, line }) => {
    const key = exports[side].parts[part]?.key ?? '';
    return `line ${line + 1} of ${key.slice(key.lastIndexOf('/') + 1)}`;
  });
  const reason = `Two of its records have the same id: ${first} and ${second}.`;
  return { kind: 'unusable', side, reason };
}

/** @returns Whether there is a change. */
async function writeChange(
  writer: ChangesWriter,
  exports: ComparedExports,
  { before, now }: Found,
): Promise<boolean> {
  const last = now ?? before;
  if (last === undefined) return false;
  const old = before && canonicalHash(before.text);
  const after = now && canonicalHash(now.text);
  if (old === after) return false;
  const key = exports[last.side].parts[last.part]?.key ?? '';
  const place = { id: receivedId(last, exports.idKey), at: { key, line: last.line + 1 } };
  const hashes = { ...(old && { before: old }), ...(after && { after }) };
  const change: Omit<Change, 'record'> =
    before === undefined || now === undefined
      ? { change: now === undefined ? 'removed' : 'added', ...place, ...hashes }
      : { change: 'changed', ...membersOf(before, now), ...place, ...hashes };
  await writer.add(change.change, lineHead(change), last.text);
  return true;
}

/** With its escapes, as it stands in the record. */
function receivedId({ text }: RunRecord, idKey: string): string {
  const record = { bytes: text, start: 0, end: text.length };
  return textOf(text, idSpan(record, Buffer.from(JSON.stringify(idKey))) ?? { start: 0, end: 0 });
}

function membersOf(before: RunRecord, now: RunRecord): Pick<Change, 'members'> {
  const members = differingMembers(before.text, now.text);
  return members === undefined ? {} : { members };
}
