import * as v from 'valibot';

/** What a schema of something stored reads: its members stand once, in the schema. */
export type Stored<Schema extends v.GenericSchema> = Frozen<v.InferOutput<Schema>>;

type Frozen<T> = unknown extends T ? T : { readonly [Name in keyof T]: Frozen<T[Name]> };

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Milliseconds since the epoch, up to the last that a `Date` can show (ECMA-262, "Time Values and Time Range"). */
export const timeMs = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(8.64e15));
export const text = v.string();
export const maybe = v.exactOptional;
