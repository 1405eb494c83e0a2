/** Of a byte what two cases of a letter have in common, in 6 bits. */
export const FOLDED = Uint8Array.from(
  { length: 256 },
  (_, byte) => (byte & 31) | ((byte & 64) >> 1),
);
const BLOCKS = 64 * 64;

/**
 * Makes a search for any of some fragments, whatever the case of letters, in one pass that skips most bytes (S. Wu
 * and U. Manber, "A fast algorithm for multi-pattern searching", 1994, with blocks of two bytes).
 *
 * @param fragments In ASCII, of 2 characters or more. The shortest one decides how much is skipped.
 */
export function fragmentSearch(fragments: readonly string[]): (bytes: Uint8Array) => boolean {
  const length = Math.min(...fragments.map((each) => each.length));
  const { skips, byLastBlock } = tablesOf(fragments, length);
  const isFound = (bytes: Uint8Array, last: number) =>
    byLastBlock.get(blockAt(bytes, last))?.some((each) => isAt(bytes, last + 1 - length, each)) ??
    false;
  const isWithin = (bytes: Uint8Array, from: number, to: number) => {
    for (let last = from; last < to; ) {
      const skip = skips[blockAt(bytes, last)] ?? 0;
      if (skip === 0 && isFound(bytes, last)) return true;
      last += skip || 1;
    }
    return false;
  };
  return (bytes) => {
    const start = length - 1;
    const size = Math.max(0, bytes.length - start) >> 2;
    const [endA, endB, endC, endD] = [
      start + size,
      start + 2 * size,
      start + 3 * size,
      bytes.length,
    ];
    let [a, b, c, d] = [start, endA, endB, endC];
    // A step waits for what the step before reads from memory, so four parts take turns.
    while (a < endA && b < endB && c < endC && d < endD) {
      const skipA = skips[blockAt(bytes, a)] ?? 0;
      const skipB = skips[blockAt(bytes, b)] ?? 0;
      const skipC = skips[blockAt(bytes, c)] ?? 0;
      const skipD = skips[blockAt(bytes, d)] ?? 0;
      if (skipA === 0 && isFound(bytes, a)) return true;
      if (skipB === 0 && isFound(bytes, b)) return true;
      if (skipC === 0 && isFound(bytes, c)) return true;
      if (skipD === 0 && isFound(bytes, d)) return true;
      a += skipA || 1;
      b += skipB || 1;
      c += skipC || 1;
      d += skipD || 1;
    }
    return (
      isWithin(bytes, a, endA) ||
      isWithin(bytes, b, endB) ||
      isWithin(bytes, c, endC) ||
      isWithin(bytes, d, endD)
    );
  };
}

/** How far to go on from each block, and the fragments that end with a block from which there is no going on. */
function tablesOf(fragments: readonly string[], length: number) {
  const skips = new Uint8Array(BLOCKS).fill(length - 1);
  const byLastBlock = new Map<number, string[]>();
  for (const fragment of new Set(fragments.map((each) => each.slice(0, length).toLowerCase()))) {
    const bytes = Buffer.from(fragment);
    for (let last = 1; last < length; last++) {
      const block = blockAt(bytes, last);
      skips[block] = Math.min(skips[block] ?? 0, length - 1 - last);
    }
    const block = blockAt(bytes, length - 1);
    byLastBlock.set(block, [...(byLastBlock.get(block) ?? []), fragment]);
  }
  return { skips, byLastBlock };
}

/** Of the two bytes that end at `last`. */
function blockAt(bytes: Uint8Array, last: number): number {
  return ((FOLDED[bytes[last - 1] ?? 0] ?? 0) << 6) | (FOLDED[bytes[last] ?? 0] ?? 0);
}

function isAt(bytes: Uint8Array, start: number, fragment: string): boolean {
  for (let index = 0; index < fragment.length; index++) {
    const byte = bytes[start + index] ?? 0;
    const isCapital = byte >= 0x41 && byte <= 0x5a;
    if ((isCapital ? byte | 0x20 : byte) !== fragment.charCodeAt(index)) return false;
  }
  return true;
}
