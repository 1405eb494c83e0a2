/** The few ASN.1 types in DER (ITU-T X.690) that an X.509 certificate needs. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  generalizedTime: 0x18,
  utcTime: 0x17,
} as const;

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(TAG.sequence, ...parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return tagged(TAG.set, ...parts);
}

export function booleanTrue(): Buffer {
  return tagged(TAG.boolean, Buffer.of(0xff));
}

/** A positive integer, big-endian. */
export function integer(bytes: Uint8Array): Buffer {
  const negative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return negative ? tagged(TAG.integer, Buffer.of(0), bytes) : tagged(TAG.integer, bytes);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tagged(TAG.bitString, Buffer.of(unusedBits), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return tagged(TAG.octetString, bytes);
}

export function utf8String(text: string): Buffer {
  return tagged(TAG.utf8String, Buffer.from(text));
}

/** RFC 5280 section 4.1.2.5: UTCTime through 2049, GeneralizedTime after. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, '');
  return digits < '2050'
    ? tagged(TAG.utcTime, Buffer.from(digits.slice(2)))
    : tagged(TAG.generalizedTime, Buffer.from(digits));
}

/** `dotted` such as `2.5.29.17`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A context-specific tag: `[0]` to `[30]`; constructed ones hold other values. */
export function context(number: number, constructed: boolean, ...parts: Uint8Array[]): Buffer {
  return tagged(0x80 | (constructed ? 0x20 : 0) | number, ...parts);
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
