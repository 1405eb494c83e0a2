/** What a report keeps at most, so that its size and the memory for it are bounded whatever the records are. */
export const SHAPE_LIMITS = {
  /** Names of one object; an object with ids as names has any number. */
  namesPerObject: 500,
  shapes: 5_000,
  /** Of a name, as it stands in the JSON text. */
  nameBytes: 256,
  /** Objects and arrays inside each other, the record being the first. */
  depth: 32,
} as const;

/** The kinds of values that are told apart, in the order of a report. */
export const VALUE_TYPES = [
  'null',
  'boolean',
  'integer',
  'longInteger',
  'decimal',
  'longDecimal',
  'text',
  'object',
  'array',
] as const;

/**
 * A kind of JSON value. `integer`: digits alone, up to 2^53 - 1; `longInteger`: beyond it. `decimal`: with a
 * fraction or an exponent; `longDecimal`: one whose value a double may not keep.
 */
export type ValueType = (typeof VALUE_TYPES)[number];

/** The place of each type in {@link VALUE_TYPES}. */
export const NUMBER_OF = {
  null: 0,
  boolean: 1,
  integer: 2,
  longInteger: 3,
  decimal: 4,
  longDecimal: 5,
  text: 6,
  object: 7,
  array: 8,
} as const satisfies Readonly<Record<ValueType, number>>;

/**
 * What was seen at one place of all records. Fields are counted in place and not in objects of their own: a record
 * touches each of its places once, and there are millions of records.
 */
export class Shape {
  readonly counts = new Float64Array(VALUE_TYPES.length);
  /** In Unicode characters. */
  longestText = 0;
  /** Of a number, without sign and exponent. */
  mostDigits = 0;
  /** Texts such as `2026-11-22`. */
  dates = 0;
  /** Texts such as `2026-11-22T10:00:00Z`. */
  dateTimes = 0;
  mostElements = 0;
  /** In the order in which they came first. */
  readonly members: MemberShape[] = [];
  readonly byName = new Map<string, MemberShape>();
  /** Members without a place of their own: beyond {@link SHAPE_LIMITS}. */
  unnamed = 0;
  element: Shape | undefined;
  /** Objects and arrays that were not looked into: beyond {@link SHAPE_LIMITS}. */
  unopened = 0;
}

/** A member of the objects at one place. */
export class MemberShape extends Shape {
  readonly name: string;
  /** The name as it stood in the text, without quotes: most others stand there in the same way. */
  readonly nameBytes: Uint8Array;
  /** Objects that have it. */
  present = 0;
  /** Objects that have it more than once. */
  repeated = 0;
  /** The last object that had it, by its number in this process. */
  seenIn = 0;
  /** The member that came after it the last time. */
  next: MemberShape | undefined;

  constructor(name: string, nameBytes: Uint8Array) {
    super();
    this.name = name;
    this.nameBytes = nameBytes;
  }
}
