/**
 * All forms in which a key is looked for, in one list that redactor and detector read. The case of letters does not
 * matter. What is longer than the key and holds one of its forms, such as a URL or an encoded text, holds the key.
 *
 * - **text**: the key, forwards and backwards, in any mixture of plain characters and escapes: JSON and JavaScript
 *   (`\/`, `\"`, `\_`, `\u002b`, `\u{2b}`, `\x2b`, `\053`, also nested), URL (`%2B`, `%u002b`, also encoded again),
 *   HTML (`&amp;`, `&plus;`, `&#43;`, `&#x2b;`, also encoded again), quoted-printable (`=2B`, soft line breaks); also as UTF-16, with a NUL between
 *   the characters.
 * - **word**: base64, base64url and base32 of the key, and base64 of its UTF-16, wherever they lie in a longer
 *   encoded text; also with line breaks, and with escapes of `+` and `/`.
 * - **list**: the character codes, hexadecimal or decimal, with separators, in groups or, hexadecimal, without; also
 *   of UTF-16, with zeros between, and over several lines, as they are or in JSON.
 */
export interface KeyForms {
  readonly texts: readonly string[];
  readonly words: readonly string[];
  readonly codes: readonly number[];
}

export function keyFormsOf(key: string): KeyForms {
  const bytes = Buffer.from(key);
  // Without the last byte, a zero, which in UTF-16BE lies before the key instead.
  const utf16 = Buffer.from(key, 'utf16le').subarray(0, -1);
  const words = [...base64Of(bytes), ...base64Of(utf16), ...base32Of(bytes)];
  return {
    texts: [...new Set([key, [...key].reverse().join('')])],
    words: [...new Set(words)],
    codes: [...bytes],
  };
}

/** The characters of words that JSON and URLs escape. */
export const SPECIAL_IN_WORD = /[+/]/;

/**
 * The characters that encode only bits of the value, for each of the three ways in which it can lie in a longer
 * base64 text (RFC 4648 section 4: three bytes make four characters).
 */
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = coreOf(encoded, offset, bytes.length, 6);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The same for base32 (RFC 4648 section 6: five bytes make eight characters). */
function base32Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2, 3, 4].map((offset) => {
    const bits = [...Buffer.alloc(offset), ...bytes]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('');
    const encoded = (bits.match(/.{5}/g) ?? [])
      .map((group) => BASE32.charAt(Number.parseInt(group, 2)))
      .join('');
    return coreOf(encoded, offset, bytes.length, 5);
  });
}

function coreOf(encoded: string, offset: number, length: number, bits: number): string {
  return encoded.slice(Math.ceil((offset * 8) / bits), Math.floor(((offset + length) * 8) / bits));
}
