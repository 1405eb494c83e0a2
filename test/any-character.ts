import fc from 'fast-check';

/**
 * A character of any kind: ASCII, with its control characters, and any other that is no half of a pair. fast-check's
 * own unit `binary` takes a second and 100 MB to make, in each process.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ max: 0x7f, min: 0 }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10_ffff }),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
