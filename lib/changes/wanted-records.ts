import type { StoredManifest } from '../exports/stored-manifest.ts';
import type { StoredPart } from '../exports/stream-part.ts';
import { type ComparedExports, SIDES, type Side } from './compared-exports.ts';

const BITS_A_BYTE = 8;

/**
 * Which records have to be looked at, one bit for each of both exports: by their hashes all others are equal, record
 * by record.
 */
export class WantedRecords {
  /** A whole number of 32 bits, how many rounds are done, and then the bits of the earlier and of the later export. */
  readonly stored: Uint8Array;
  readonly #starts: Readonly<Record<Side, readonly number[]>>;

  /** @param stored As another one had it; it is taken over. @default - no round is done */
  constructor(exports: Pick<ComparedExports, Side>, stored?: Uint8Array) {
    const before = startsOf(exports.before.parts, 0);
    const now = startsOf(exports.now.parts, before.at(-1) ?? 0);
    this.#starts = { before, now };
    const bytes = ROUNDS_BYTES + Math.ceil((now.at(-1) ?? 0) / BITS_A_BYTE);
    this.stored = stored?.length === bytes ? stored : new Uint8Array(bytes);
  }

  get rounds(): number {
    return this.#view.getUint32(0, true);
  }

  set rounds(rounds: number) {
    this.#view.setUint32(0, rounds, true);
  }

  get #view(): DataView {
    const { buffer, byteOffset, byteLength } = this.stored;
    return new DataView(buffer, byteOffset, byteLength);
  }

  /** The number of the first record of a part, by which {@link WantedRecords.want} knows it. */
  startOf(side: Side, part: number): number {
    return this.#starts[side][part] ?? 0;
  }

  want(record: number): void {
    const at = ROUNDS_BYTES + Math.floor(record / BITS_A_BYTE);
    this.stored[at] = (this.stored[at] ?? 0) | (1 << (record % BITS_A_BYTE));
  }

  isWanted(record: number): boolean {
    const byte = this.stored[ROUNDS_BYTES + Math.floor(record / BITS_A_BYTE)] ?? 0;
    return (byte & (1 << (record % BITS_A_BYTE))) !== 0;
  }

  /** Whether a record of the part is. */
  hasAny(side: Side, part: number): boolean {
    const end = this.startOf(side, part + 1);
    for (let record = this.startOf(side, part); record < end; record++) {
      if (this.isWanted(record)) return true;
    }
    return false;
  }
}

const ROUNDS_BYTES = 4;

/** One more than there are parts: the last one is where the records end. */
function startsOf(parts: StoredManifest['parts'], first: number): readonly number[] {
  const starts = [first];
  for (const { customers } of parts) starts.push((starts.at(-1) ?? 0) + customers);
  return starts;
}

/** All parts of both exports in one row. */
export function partsInOrder(
  exports: Pick<ComparedExports, Side>,
): readonly { readonly side: Side; readonly part: number; readonly stored: StoredPart }[] {
  return SIDES.flatMap((side) =>
    exports[side].parts.map((stored, part) => ({ side, part, stored })),
  );
}
