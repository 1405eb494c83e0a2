import { expect, test } from '@jest/globals';
import { readInput } from '../../../functions/http/request.ts';
import { ROUTES } from '../../../functions/http/routes.ts';

const path = { exportId: 'request-1', writeId: 'order-1' };

test.each([
  ['openGate', '', 'body: expected a JSON object, got none. It takes reason.'],
  ['openGate', '[]', 'body: expected a JSON object. It takes reason.'],
  ['cancelExport', '{', 'body: is not JSON. It takes reason, parts.'],
  ['openGate', '{"why":"a"}', 'why: there is no such member. There are: reason.'],
  ['openGate', '{}', /^reason: expected why the gate is opened, a text of 1 to 1,024 /],
  ['decideChanges', '{}', /^decision: expected release .* or discard/],
  ['settleWrite', '{"decision":"done"}', /^attempt: expected the attempt of the unclear write/],
  ['settleWrite', '{"attempt":1}', /^decision: expected done .*, retry .* or drop/],
  ['requestWrite', '', /^body: expected a JSON object, got none\. It takes writeId, operation, /],
] as const)('%s with the body %j is told what it takes', (route, body, detail) => {
  const read = readInput(ROUTES[route].input, { path, query: {}, headers: {}, body });

  expect(read).toEqual(
    expect.objectContaining({ code: 'invalid-request', detail: expect.stringMatching(detail) }),
  );
});
