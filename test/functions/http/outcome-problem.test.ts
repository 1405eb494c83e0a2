import { expect, test } from '@jest/globals';
import { outcomeProblem } from '../../../functions/http/outcome-problem.ts';
import { haltedBy } from '../../../lib/gate/not-sent.ts';

const NEXT = 'This version is not sent again. Store a valid key as a new version of the secret.';

test('tells of a rejected key what is known: its connection, and its version or the status', () => {
  const rejected = { kind: 'authentication-failure', status: 401 } as const;
  const whose = 'The API did not accept the key of connection demo';

  expect(outcomeProblem(rejected)).toMatchObject({
    code: 'halted',
    detail: `The API did not accept the key (status 401). ${NEXT}`,
    members: { reason: 'authentication-failure', upstream: { status: 401 } },
  });
  expect(outcomeProblem(rejected, 'demo').detail).toBe(`${whose} (status 401). ${NEXT}`);
  expect(outcomeProblem(haltedBy('demo', 'v2'), 'demo').detail).toBe(
    `${whose}, secret version v2. ${NEXT}`,
  );
});
