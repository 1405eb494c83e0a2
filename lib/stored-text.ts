import * as v from 'valibot';

/** ISO 8601, as `Date` writes it. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp());
/** Of a record, hex: equal for records that differ in form alone. */
export const recordHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
/** Of stored bytes, hex. */
export const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
