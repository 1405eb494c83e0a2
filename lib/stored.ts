import * as v from 'valibot';

/** What a schema of something stored reads: its members stand once, in the schema. */
export type Stored<Schema extends v.GenericSchema> = Frozen<v.InferOutput<Schema>>;

type Frozen<T> = unknown extends T ? T : { readonly [Name in keyof T]: Frozen<T[Name]> };

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Milliseconds since the epoch, up to the last that a `Date` can show (ECMA-262, "Time Values and Time Range"). */
export const timeMs = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(8.64e15));
/** ISO 8601, as `Date` writes it. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp());
export const text = v.string();
/** Of a record, hex: equal for records that differ in form alone. */
export const recordHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
/** Of stored bytes, hex. */
export const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
export const maybe = v.exactOptional;
