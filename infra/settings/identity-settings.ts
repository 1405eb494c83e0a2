import * as v from 'valibot';
import { INTEGRATION_ID } from '../../lib/names.ts';

export const ID_EXPECTED =
  'expected 1 to 128 letters, digits, hyphens, dots and underscores, a letter or digit first';

export const IntegrationIdSchema = v.pipe(
  v.string(ID_EXPECTED),
  v.regex(INTEGRATION_ID, ID_EXPECTED),
);

const PREFIX_EXPECTED = 'expected 1 to 256 letters, digits and /_+=.@- as in the name of a secret';

/** Policies hold it, so it has no wildcard, and it is not empty: the names of all secrets of the account begin so. */
export const SecretPrefixSchema = v.pipe(
  v.string(PREFIX_EXPECTED),
  v.regex(/^[\w/+=.@-]{1,256}$/, PREFIX_EXPECTED),
);
