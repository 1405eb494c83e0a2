import { expect, test } from '@jest/globals';
import { parseRequest } from '../../../functions/http/request.ts';
import { MAX_BY_LENGTH } from '../../../lib/names.ts';

test('of a caller as much is kept as the ledger takes of a name', () => {
  const authorizer = { jwt: { claims: { sub: 'x'.repeat(5_000) } } };
  const parsed = parseRequest({ version: '2.0', requestContext: { authorizer } });
  const caller = parsed.kind === 'request' ? parsed.request.caller : undefined;
  expect(caller).toHaveLength(MAX_BY_LENGTH);
});
