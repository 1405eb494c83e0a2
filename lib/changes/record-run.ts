import { SIDES, type Side } from './compared-exports.ts';

/** A record on its way to the other one with its id. */
export interface RunRecord {
  /** The hash of its id, in two words. */
  readonly low: number;
  readonly high: number;
  /** JSON text, as `idBytes` gives it. */
  readonly id: Uint8Array;
  readonly text: Uint8Array;
  readonly side: Side;
  /** The place of its part in the manifest, and its line there, both from 0. */
  readonly part: number;
  readonly line: number;
}

/** What a record in a run is known by before its text is read. */
export type RunHead = Omit<RunRecord, 'text'> & { readonly textBytes: number };

/**
 * A run is a row of records in the order of {@link compareHeads}: seven whole numbers of 32 bits each, little-endian,
 * then the id, then the text.
 */
const HEAD_BYTES = 28;

export function encodeRun(records: readonly RunRecord[]): Uint8Array {
  const sorted = records.toSorted(compareHeads);
  const run = Buffer.allocUnsafe(sorted.reduce((sum, record) => sum + runBytes(record), 0));
  let at = 0;
  for (const { low, high, id, text, side, part, line } of sorted) {
    for (const word of [low, high, id.length, text.length, SIDES.indexOf(side), part, line]) {
      at = run.writeUInt32LE(word, at);
    }
    run.set(id, at);
    run.set(text, at + id.length);
    at += id.length + text.length;
  }
  return run;
}

export function runBytes({ id, text }: Pick<RunRecord, 'id' | 'text'>): number {
  return HEAD_BYTES + id.length + text.length;
}

/** How much of a run has to be there to read the head that begins there; the id is in it. */
export function headBytes(run: Buffer, at: number): number {
  return run.length < at + HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + run.readUInt32LE(at + 8);
}

export function decodeHead(run: Buffer, at: number): RunHead {
  const word = (index: number) => run.readUInt32LE(at + 4 * index);
  return {
    low: word(0),
    high: word(1),
    id: run.subarray(at + HEAD_BYTES, at + HEAD_BYTES + word(2)),
    textBytes: word(3),
    side: SIDES[word(4)] ?? 'now',
    part: word(5),
    line: word(6),
  };
}

type Place = Omit<RunHead, 'textBytes'>;

/** By hash, then by id, then the earlier export first. */
export function compareHeads(one: Place, other: Place): number {
  return (
    compareIds(one, other) ||
    SIDES.indexOf(one.side) - SIDES.indexOf(other.side) ||
    one.part - other.part ||
    one.line - other.line
  );
}

/** 0 for two records with the same id. */
export function compareIds(one: Place, other: Place): number {
  return one.high - other.high || one.low - other.low || Buffer.compare(one.id, other.id);
}
