import * as v from 'valibot';
import { wholeNumber } from '../../lib/number-range.ts';

const AUTHORIZATION_EXPECTED = 'expected "iam", or an object with issuer and audience';
const ISSUER_EXPECTED =
  'expected the https: address of the issuer, such as https://login.example.com/tenant';
const AUDIENCE_EXPECTED = 'expected one or more audiences, each a text';
const ONE_EXPECTED = `expected an object such as {"authorization": "iam"}, or false for none`;

const JwtSchema = v.strictObject(
  {
    issuer: v.pipe(v.string(ISSUER_EXPECTED), v.regex(/^https:\/\/[^\s?#]+$/, ISSUER_EXPECTED)),
    audience: v.pipe(
      v.array(
        v.pipe(v.string(AUDIENCE_EXPECTED), v.minLength(1, AUDIENCE_EXPECTED)),
        AUDIENCE_EXPECTED,
      ),
      v.minLength(1, AUDIENCE_EXPECTED),
    ),
  },
  AUTHORIZATION_EXPECTED,
);

export const HttpApiSchema = v.lazy((given) =>
  given === false
    ? v.literal(false)
    : v.strictObject(
        {
          authorization: v.exactOptional(v.lazy(authorizationOf)),
          requestsPerSecond: v.exactOptional(wholeNumber(1, 10_000)),
          burst: v.exactOptional(wholeNumber(1, 5_000)),
        },
        ONE_EXPECTED,
      ),
);

/** Selects the schema by the value, so that the error names the wrong member. */
function authorizationOf(given: unknown) {
  return typeof given === 'object' ? JwtSchema : v.literal('iam', AUTHORIZATION_EXPECTED);
}
