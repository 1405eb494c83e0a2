import * as v from 'valibot';

/** Names of connections: part of secret names, object keys and URL paths. */
export const CONNECTION_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

const CONNECTION_EXPECTED =
  'expected 1 to 63 small letters, digits and hyphens, a hyphen not first';

export const ConnectionNameSchema = v.pipe(
  v.string(CONNECTION_EXPECTED),
  v.regex(CONNECTION_NAME, CONNECTION_EXPECTED),
);

/** Names of lists: part of object keys and URL paths. */
export const LIST_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

const LIST_EXPECTED =
  'expected the name of a list, 1 to 63 small letters, digits and hyphens, a hyphen not first';

export const ListNameSchema = v.pipe(v.string(LIST_EXPECTED), v.regex(LIST_NAME, LIST_EXPECTED));

/** Ids of exports, see `exportIdOf`. */
export const EXPORT_ID = /^[a-z0-9][a-z0-9-]{0,79}$/;

const EXPORT_ID_EXPECTED = 'expected 1 to 80 small letters, digits and hyphens, a hyphen not first';

export const ExportIdSchema = v.pipe(
  v.string(EXPORT_ID_EXPECTED),
  v.regex(EXPORT_ID, EXPORT_ID_EXPECTED),
);

/** What a caller sends in `Idempotency-Key` to start one export, and what that has to be. */
export const START_KEY = /^[\x21-\x7e]{1,255}$/;
export const START_KEY_EXPECTED = '1 to 255 visible ASCII characters';

/** Order keys of writes, chosen by the caller. */
export const ORDER_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
export const ORDER_KEY_EXPECTED =
  'expected 1 to 128 letters, digits, dots, underscores, colons and hyphens';

/**
 * Ids of writes, chosen by the caller and part of URL paths: clients take segments `.` and `..` out of those (RFC 3986
 * section 5.2.4), so nobody could look at such a write or settle it.
 */
export const WRITE_ID = /^(?!\.+$)[A-Za-z0-9._:-]{1,128}$/;
export const WRITE_ID_EXPECTED = `${ORDER_KEY_EXPECTED}, and not dots alone`;

export const WriteIdSchema = v.pipe(
  v.string(WRITE_ID_EXPECTED),
  v.regex(WRITE_ID, WRITE_ID_EXPECTED),
);

/** Of who decides something, such as an ARN: the longest that IAM knows (IAM quotas: 2,048 characters). */
export const MAX_BY_LENGTH = 2_048;

/** Ids of integrations, unique in an account and region: events name them. */
export const INTEGRATION_ID = /^[A-Za-z0-9][\w.-]{0,127}$/;
